//! Writes the whole screen of the display that the environment names to a PNG file, for people to look at.

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt, ImageFormat};
use x11rb::rust_connection::RustConnection;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("name the file to write")?;
    let (connection, screen) = RustConnection::connect(None)?;
    let screen = &connection.setup().roots[screen];
    let (width, height) = (screen.width_in_pixels, screen.height_in_pixels);
    let image = connection.get_image(ImageFormat::Z_PIXMAP, screen.root, 0, 0, width, height, !0)?.reply()?;
    let pixels: Vec<u8> = image.data.chunks_exact(4).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect();
    let mut encoder = png::Encoder::new(std::fs::File::create(path)?, width.into(), height.into());
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(())
}
