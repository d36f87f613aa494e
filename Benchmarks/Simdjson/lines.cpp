// Prints the elements of "items" one per line: the text of strings, and all other values as they are in the file.
// The contender of `Benchmarks content`, which compiles it if libsimdjson-dev is installed.
#include <cstdio>
#include <simdjson.h>
#include <string>

int main(int count, char **arguments) {
    if (count < 2) return 2;
    auto text = simdjson::padded_string::load(arguments[1]);
    if (text.error()) return 1;
    simdjson::ondemand::parser parser;
    std::string output;
    output.reserve(1 << 17);
    try {
        simdjson::ondemand::document document = parser.iterate(text.value_unsafe());
        for (simdjson::ondemand::value value : document["items"].get_array()) {
            std::string_view line;
            if (value.type() == simdjson::ondemand::json_type::string) {
                line = value.get_string();
            } else {
                line = simdjson::to_json_string(value);
            }
            output.append(line);
            output.push_back('\n');
            if (output.size() > 1 << 16) {
                fwrite_unlocked(output.data(), 1, output.size(), stdout);
                output.clear();
            }
        }
    } catch (const simdjson::simdjson_error &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    fwrite_unlocked(output.data(), 1, output.size(), stdout);
    return 0;
}
