"""Moto, an imitation of AWS: lists that are requested with POST and have a token in the body."""

import json
import urllib.request

from lists import SIZES, List, rows

PACKAGES = ["moto>=5.2", "flask", "flask-cors", "py-partiql-parser"]


def headers(service, target):
    """Returns the header fields of a request, which name the service and its operation."""
    scope = f"key/20260101/us-east-1/{service}/aws4_request"
    return {
        "Authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0",
        "Content-Type": "application/x-amz-json-1.1",
        "X-Amz-Target": target,
    }


def options(service, target, body):
    fields = [f"{name}: {value}" for name, value in headers(service, target).items()]
    return (*(word for field in fields for word in ("-H", field)), "-d", body)


SCAN = options("dynamodb", "DynamoDB_20120810.Scan", '{{"TableName": "c{n}x", "Limit": 100}}')
STREAMS = options("logs", "Logs_20140328.DescribeLogStreams", '{{"logGroupName": "c{n}"}}')
PARAMETERS = options("ssm", "AmazonSSM.GetParametersByPath", '{{"Path": "/c{n}"}}')
LISTS = [
    List("DynamoDB, preset", "/", "Items", "number.N", (*SCAN, "--pagination", "dynamodb")),
    List("DynamoDB", "/", "Items", "number.N", SCAN),
    List("CloudWatch Logs", "/", "logStreams", "logStreamName", STREAMS),
    List("Systems Manager", "/", "Parameters", "Value", PARAMETERS),
]


def serve(port, folder):
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import run_simple

    run_simple("127.0.0.1", port, DomainDispatcherApplication(create_backend_app), threaded=True)


def fill(url):
    def send(service, target, body):
        request = urllib.request.Request(url, json.dumps(body).encode(), headers(service, target))
        urllib.request.urlopen(request).close()

    for size in SIZES:
        table = f"c{size}x"
        send(
            "dynamodb",
            "DynamoDB_20120810.CreateTable",
            {
                "TableName": table,
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "number", "AttributeType": "N"}],
                "KeySchema": [{"AttributeName": "number", "KeyType": "HASH"}],
            },
        )
        send("logs", "Logs_20140328.CreateLogGroup", {"logGroupName": f"c{size}"})
        for row in rows(size):
            number = str(row["id"])
            send(
                "dynamodb",
                "DynamoDB_20120810.PutItem",
                {"TableName": table, "Item": {"number": {"N": number}}},
            )
            send(
                "logs", "Logs_20140328.CreateLogStream", {"logGroupName": f"c{size}", "logStreamName": number}
            )
            send(
                "ssm",
                "AmazonSSM.PutParameter",
                {"Name": f"/c{size}/{number}", "Value": number, "Type": "String"},
            )
