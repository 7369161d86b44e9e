//! Cuts a stream of server events into frames, wherever its chunks begin and end.
//!
//! It works on bytes: a line break is never a part of another character, so that each line is whole when it is decoded.

/// The longest line, and the longest data of a frame, that is kept, in bytes. What is longer is left out: events are
/// hints, and a refresh shows the same.
const KEPT_BYTES_MAX: usize = 16 << 20;

/// The frames of one stream of server events.
#[derive(Debug, Default)]
pub struct Frames {
    line: Vec<u8>,
    line_is_too_long: bool,
    data: Vec<u8>,
}

impl Frames {
    /// Takes the next bytes of the stream, and gives the data of each frame that they complete. Comments give none.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut complete = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            match piece.strip_suffix(b"\n") {
                Some(end) => {
                    self.extend_line(end);
                    complete.extend(self.end_line());
                }
                None => self.extend_line(piece),
            }
        }
        complete
    }

    fn extend_line(&mut self, piece: &[u8]) {
        self.line_is_too_long |= self.line.len() + piece.len() > KEPT_BYTES_MAX;
        if !self.line_is_too_long {
            self.line.extend_from_slice(piece);
        }
    }

    /// An empty line ends a frame.
    fn end_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.line_is_too_long) {
            return None;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return (!data.is_empty()).then(|| String::from_utf8_lossy(&data).into_owned());
        }
        let data = line.strip_prefix(b"data:")?;
        if self.data.len() + data.len() < KEPT_BYTES_MAX {
            if !self.data.is_empty() {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = "data: {\"a\":\"grün 😀\"}\n\n: heartbeat\n\ndata:one\r\ndata: two\r\n\r\nid: 7\n\ndata: rest";

    #[test]
    fn frames_are_the_same_wherever_the_stream_is_cut() {
        let whole = Frames::default().push(STREAM.as_bytes());
        assert_eq!(whole, ["{\"a\":\"grün 😀\"}", "one\ntwo"]);
        for size in 1..STREAM.len() {
            let mut frames = Frames::default();
            let cut: Vec<String> = STREAM
                .as_bytes()
                .chunks(size)
                .flat_map(|chunk| frames.push(chunk))
                .collect();
            assert_eq!(cut, whole, "chunks of {size} bytes");
        }
    }

    #[test]
    fn a_line_without_an_end_is_left_out_and_the_next_frame_comes() {
        let mut frames = Frames::default();
        let chunk = vec![b'x'; KEPT_BYTES_MAX / 4];
        assert!(frames.push(b"data: ").is_empty());
        for _ in 0..8 {
            assert!(frames.push(&chunk).is_empty());
            assert!(frames.line.len() <= KEPT_BYTES_MAX);
        }
        assert_eq!(frames.push(b"\n\ndata: next\n\n"), ["next"]);
    }
}
