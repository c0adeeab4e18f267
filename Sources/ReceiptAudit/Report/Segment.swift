/// A segment of a bar, in thousandths of its width. The texture distinguishes segments without color.
struct Segment {
    /// The textures: solid, wide stripes, narrow stripes, outline, dotted.
    static let textures = ["solid", "wide", "narrow", "open", "dotted"]

    let texture: String
    let start: Int
    let end: Int
    /// The width. It is stored because templates cannot read computed properties.
    let width: Int

    init(texture: String, start: Int, end: Int) {
        self.texture = texture
        self.start = start
        self.end = end
        width = end - start
    }
}
