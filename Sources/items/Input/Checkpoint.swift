import Foundation
import RESTClient

/// The position of a run, saved while the list is read. The items before a position are written first. If a
/// run is killed between both, the next run cuts the output back to the position. A pipe cannot be cut back,
/// so its position is saved only at the end of the run.
struct Checkpoint {
    private var file: ResumeFile
    private let descriptor: Int32
    private let hint: String
    private let messages: Messages
    /// The output at the start of the run, or `nil` if it cannot be cut back.
    private let output: OutputMark?
    private var first: SavedPosition?
    private var latest: SavedPosition?
    private var lastSave = ContinuousClock.now

    /// Cuts the output back to the position in `file`.
    init(
        _ file: ResumeFile, in destination: borrowing Destination, _ options: Options, _ messages: Messages
    ) throws {
        (self.file, self.messages) = (file, messages)
        descriptor = destination.descriptor
        output = OutputMark(destination)
        // With >, the shell would remove the items before the next run could keep them.
        let isReplaced = options.output == nil && output != nil && !destination.isAppending
        hint = "run the same command again\(isReplaced ? ", with >> instead of >," : "") to resume"
        let name = destination.label
        if output != nil, flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            throw CommandError(
                .outputFailed, "another run is writing to \(name)", hint: "wait until that run has ended")
        }
        // The offset of a file that is appended to is known after the first write only.
        if destination.isAppending { lseek(descriptor, 0, SEEK_END) }
        guard let mark = file.start?.output else { return }
        let advice =
            "use the output of the last run (>> FILE, or the same -o FILE), or remove \(file.label) to list from the first page"
        let found = output?.offset ?? mark.offset
        guard mark.partial == destination.partial, found <= mark.offset || output?.file == mark.file else {
            throw CommandError.usage("\(name) is not the output of the last run", hint: advice)
        }
        guard found >= mark.offset else {
            throw CommandError.usage(
                "\(name) has only \(Int(found).text(of: "byte")), but the last run ended after \(Int(mark.offset).groupedText)",
                hint: advice)
        }
        guard output != nil else { return }
        if found > mark.offset {
            guard ftruncate(descriptor, off_t(mark.offset)) == 0 else {
                throw CommandError(writing: name, errno, hint: advice)
            }
            messages.info(
                "removed \(Int(found - mark.offset).text(of: "byte")) after the saved position from \(name)")
        }
        lseek(descriptor, off_t(mark.offset), SEEK_SET)
    }

    /// `true` if there is a position from which the next run continues.
    var isStored: Bool { file.identity != nil }

    /// Saves the position before the first item of the run.
    mutating func begin(at token: ResumeToken?) throws {
        set(token, items: 0)
        first = latest
        if output != nil { try save() }
    }

    /// `true` a second after the last position was saved. Finding one takes as long as listing the items, if they are on the first
    /// page.
    var isDue: Bool { output != nil && lastSave.duration(to: .now) >= .seconds(1) }

    /// Saves the position after the items that have been written.
    mutating func record(_ token: ResumeToken, items: Int) throws {
        set(token, items: items)
        do { try save() } catch let error as CommandError where error.code == .outputFailed {
            // The earlier position is still valid.
            lastSave = .now
        }
    }

    /// Saves the position of a run that ends before the list is complete. Returns a hint, or `nil` if the
    /// next run does not continue after this one.
    mutating func stop(at token: ResumeToken?, items: Int) -> String? {
        set(token, items: items)
        // Without a position after its items, the run begins again, and its items are removed from the output.
        if token == nil { latest = first }
        let isAtStart = latest?.token == first?.token && latest?.items == first?.items
        guard items > 0 || !isAtStart else {
            if file.start == nil { file.remove() }
            return nil
        }
        guard output != nil || token != nil else {
            file.remove()
            return nil
        }
        do { try save() } catch { messages.report(CommandError(error)) }
        return isStored ? hint : nil
    }

    /// Removes what follows the last position from an output that could not be written, such as half a line
    /// on a full disk. Returns a hint, or `nil` if the output is not a file.
    mutating func rollBack() -> String? {
        guard let mark = latest?.output, isStored else { return nil }
        _ = ftruncate(descriptor, off_t(mark.offset))
        // Otherwise, the next run cuts the output back to the earlier position.
        try? save()
        return hint
    }

    mutating func finish() { file.remove() }

    /// Ends the run. A shell can keep the output open, and the lock with it.
    func end() { flock(descriptor, LOCK_UN) }

    private mutating func set(_ token: ResumeToken?, items: Int) {
        guard let token else { return }
        var mark = output
        mark?.offset = Int64(lseek(descriptor, 0, SEEK_CUR))
        latest = SavedPosition(
            list: file.list, options: file.options, token: token, items: (file.start?.items ?? 0) + items,
            output: mark)
    }

    private mutating func save() throws {
        guard let latest else { return }
        // After a loss of power, the output must not be shorter than the position. Some file systems cannot sync.
        if output != nil, fsync(descriptor) != 0, [EIO, ENOSPC, EDQUOT].contains(errno) {
            throw OutputError.failed(errno)
        }
        try file.write(latest)
        lastSave = .now
    }
}
