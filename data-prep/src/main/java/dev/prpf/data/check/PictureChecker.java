package dev.prpf.data.check;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.data.io.Defect;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;
import java.util.function.Consumer;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.FileImageInputStream;
import javax.imageio.stream.ImageInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A picture's path, and with an image root its file: whether it is there, is a picture, and is of a size that can be read. Only
 * headers are read, and a PNG's chunk lengths to its end; pixels are not decoded.
 */
final class PictureChecker {
    /** No phone's screen is longer; the encoders refuse such pictures too. */
    static final int MAX_SIDE = 10_000;

    private static final byte[] PNG = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    private static final int CHUNK_FRAME = 12;
    private static final int PNG_END = 0x49454E44; // "IEND"

    private final @Nullable Path root;

    /** @param root the image root, or null if files are not to be looked for */
    PictureChecker(@Nullable Path root) {
        if (root != null && !Files.isDirectory(root)) {
            throw new InvalidDataException(
                    "image root " + root + " is no directory; give the directory that picture paths begin at");
        }
        this.root = root;
    }

    boolean looksForFiles() {
        return root != null;
    }

    void check(String picture, String path, Consumer<Defect> defects) {
        Path relative = relative(picture);
        if (relative == null) {
            defects.accept(Defect.fatal(
                    path,
                    "picture-path",
                    TextNode.valueOf(picture),
                    "must be a path below the image root: relative, without \"..\""));
            return;
        }
        if (root == null) {
            return;
        }
        Path file = root.resolve(relative);
        if (!Files.isRegularFile(file)) {
            defects.accept(
                    Defect.fatal(path, "missing-picture", TextNode.valueOf(picture), "there is no file " + file));
            return;
        }
        String fault = fault(file);
        if (fault != null) {
            defects.accept(Defect.fatal(path, "unreadable-picture", TextNode.valueOf(picture), fault));
        }
    }

    private static @Nullable Path relative(String picture) {
        try {
            Path path = Path.of(picture);
            for (Path part : path) {
                if (part.toString().equals("..")) {
                    return null;
                }
            }
            boolean absolute =
                    path.isAbsolute() || picture.startsWith("\\") || picture.matches("(?s)[A-Za-z]:[\\\\/].*");
            return absolute ? null : path;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    /** What keeps the file from being read as a picture, or null. */
    private static @Nullable String fault(Path file) {
        try (ImageInputStream in = new FileImageInputStream(file.toFile())) {
            Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
            if (!readers.hasNext()) {
                return "is no picture of a known format (" + String.join(", ", formats()) + ")";
            }
            String fault = sizeFault(readers.next(), in);
            return fault != null || !isCutOff(file) ? fault : "is cut off: the PNG has no end";
        } catch (IOException | RuntimeException e) {
            return "cannot be read as a picture: " + e.getMessage();
        }
    }

    private static String[] formats() {
        return Arrays.stream(ImageIO.getReaderFormatNames())
                .map(name -> name.toLowerCase(Locale.ROOT))
                .distinct()
                .sorted()
                .toArray(String[]::new);
    }

    private static @Nullable String sizeFault(ImageReader reader, ImageInputStream in) throws IOException {
        try {
            reader.setInput(in, true, true);
            int width = reader.getWidth(0);
            int height = reader.getHeight(0);
            return width > MAX_SIDE || height > MAX_SIDE
                    ? "is " + width + " x " + height + " pixels, must be at most " + MAX_SIDE + " a side"
                    : null;
        } finally {
            reader.dispose();
        }
    }

    /** Follows the lengths of a PNG's chunks (length, type, data, checksum) to the last one. */
    private static boolean isCutOff(Path file) throws IOException {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            byte[] head = new byte[PNG.length];
            if (in.read(head) != PNG.length || !Arrays.equals(head, PNG)) {
                return false;
            }
            long at = PNG.length;
            while (at + CHUNK_FRAME <= in.length()) {
                in.seek(at);
                long length = Integer.toUnsignedLong(in.readInt());
                if (in.readInt() == PNG_END) {
                    return false;
                }
                at += CHUNK_FRAME + length;
            }
            return true;
        }
    }
}
