"""Moto, an imitation of AWS: lists that are requested with POST and have a token in the body."""

from lists import SIZES, List, rows, send

PACKAGES = ["moto>=5.2", "flask", "flask-cors", "py-partiql-parser"]


def fields(service, operation):
    """Returns the header fields of a request, which name the service and its operation."""
    scope = f"key/20260101/us-east-1/{service}/aws4_request"
    return {
        "Authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0",
        "Content-Type": "application/x-amz-json-1.1",
        "X-Amz-Target": operation,
    }


def options(service, operation, body):
    words = [("-H", f"{name}: {value}") for name, value in fields(service, operation).items()]
    return (*(word for pair in words for word in pair), "-d", body)


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
    def call(service, operation, **body):
        send(url, body, fields(service, operation))

    for size in SIZES:
        table, group = f"c{size}x", f"c{size}"
        call("dynamodb", "DynamoDB_20120810.CreateTable", TableName=table, BillingMode="PAY_PER_REQUEST",
             AttributeDefinitions=[{"AttributeName": "number", "AttributeType": "N"}],
             KeySchema=[{"AttributeName": "number", "KeyType": "HASH"}])
        call("logs", "Logs_20140328.CreateLogGroup", logGroupName=group)
        for number in (str(row["id"]) for row in rows(size)):
            call("dynamodb", "DynamoDB_20120810.PutItem", TableName=table, Item={"number": {"N": number}})
            call("logs", "Logs_20140328.CreateLogStream", logGroupName=group, logStreamName=number)
            call("ssm", "AmazonSSM.PutParameter", Name=f"/{group}/{number}", Value=number, Type="String")
