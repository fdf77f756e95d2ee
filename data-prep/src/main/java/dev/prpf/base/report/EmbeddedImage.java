package dev.prpf.base.report;

import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Base64;
import javax.imageio.ImageIO;

/** An image inside the page, at most 360 pixels wide, so that the page needs no other file. */
final class EmbeddedImage {
    private static final int WIDEST = 360;

    private EmbeddedImage() {}

    /** An {@code <img>}, or a paragraph that says why the file cannot be read. */
    static String img(Path image) {
        String name = Html.escape(image.getFileName().toString());
        try {
            BufferedImage pixels = ImageIO.read(image.toFile());
            if (pixels != null) {
                return "<img alt=\"screenshot " + name + "\" src=\"data:image/png;base64," + base64(shrunk(pixels))
                        + "\"/>";
            }
        } catch (IOException unreadable) {
            return "<p>image " + name + " cannot be read</p>";
        }
        return "<p>image " + name + " is in no format this Java reads</p>";
    }

    private static BufferedImage shrunk(BufferedImage image) {
        if (image.getWidth() <= WIDEST) {
            return image;
        }
        int height = Math.max(1, image.getHeight() * WIDEST / image.getWidth());
        BufferedImage small = new BufferedImage(WIDEST, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = small.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
        graphics.drawImage(image, 0, 0, WIDEST, height, null);
        graphics.dispose();
        return small;
    }

    private static String base64(BufferedImage image) throws IOException {
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        ImageIO.write(image, "png", png);
        return Base64.getEncoder().encodeToString(png.toByteArray());
    }
}
