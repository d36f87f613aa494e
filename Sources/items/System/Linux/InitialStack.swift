import Foundation

/// The arguments of the process where the kernel has put them. `CommandLine` reads them from `/proc`, which a bare root does
/// not have.
enum InitialStack {
    private typealias Text = UnsafeMutablePointer<CChar>

    /// The arguments, whose pointers are below those of the environment, with a null pointer between them. Empty if the
    /// environment has been moved, or if the C library does not know the name of the program, which is the first of them.
    static var arguments: [UnsafeMutablePointer<CChar>] {
        guard let environment = dlsym(nil, "environ")?.load(as: UnsafeMutablePointer<Text?>?.self),
            let name = dlsym(nil, "program_invocation_name")?.load(as: Text?.self), environment[-1] == nil
        else { return [] }
        var arguments: [Text] = []
        while arguments.last != name {
            guard let argument = environment[-2 - arguments.count] else { return [] }
            arguments.append(argument)
        }
        return arguments.reversed()
    }
}
