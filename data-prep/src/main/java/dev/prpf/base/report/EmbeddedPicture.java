package dev.prpf.base.report;

import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Base64;
import javax.imageio.ImageIO;

/** A picture inside the page, at most 360 pixels wide, so that the page needs no other file. */
final class EmbeddedPicture {
    private static final int WIDEST = 360;

    private EmbeddedPicture() {}

    /** An {@code <img>}; a picture that cannot be read is said to be so in its place. */
    static String img(Path picture) {
        String name = Html.escape(picture.getFileName().toString());
        try {
            BufferedImage image = ImageIO.read(picture.toFile());
            if (image != null) {
                return "<img alt=\"screenshot " + name + "\" src=\"data:image/png;base64," + base64(shrunk(image))
                        + "\"/>";
            }
        } catch (IOException unreadable) {
            return "<p>picture " + name + " cannot be read</p>";
        }
        return "<p>picture " + name + " is in no format this Java reads</p>";
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
