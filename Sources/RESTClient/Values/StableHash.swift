extension Sequence<UInt8> {
    /// A hash that is the same in each process (FNV-1a). Collisions can be constructed.
    var stableHash: UInt64 {
        reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
