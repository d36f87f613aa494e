print(Help.text)
do { print(try OptionParser.parse(Array(CommandLine.arguments.dropFirst()))) } catch { print(error) }
