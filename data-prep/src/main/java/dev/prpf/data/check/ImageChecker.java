package dev.prpf.data.check;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.image.EncodedImage;
import dev.prpf.data.encode.image.DataUrl;
import dev.prpf.data.io.Defect;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Checks an image's path or data URL, and with an image root its file, which must be a complete image of an accepted size. Pixels
 * are not decoded.
 *
 * @param root the image root, or null to check no files
 */
record ImageChecker(@Nullable Path root) {
    ImageChecker {
        if (root != null && !Files.isDirectory(root)) {
            throw new InvalidDataException(
                    "image root " + root + " is not a directory; give the root of the image paths");
        }
    }

    void check(String image, String path, Defect.Sink defects) {
        TextNode value = TextNode.valueOf(image);
        if (DataUrl.is(image)) {
            checkContent(image, path, value, defects);
            return;
        }
        Path relative = relative(image);
        if (relative == null) {
            String rule = "must be a path below the image root: relative, without \"..\"";
            defects.fatal(path, "image-path", value, rule);
        } else if (root != null) {
            checkFile(root.resolve(relative), path, value, defects);
        }
    }

    private static void checkContent(String image, String path, TextNode value, Defect.Sink defects) {
        try {
            EncodedImage.of(DataUrl.bytes(image)).requireWhole();
        } catch (InvalidDataException e) {
            defects.fatal(path, "unreadable-image", value, "cannot be read: " + e.getMessage());
        }
    }

    private static void checkFile(Path file, String path, TextNode value, Defect.Sink defects) {
        if (!Files.isRegularFile(file)) {
            defects.fatal(path, "missing-image", value, "file " + file + " does not exist");
            return;
        }
        try {
            EncodedImage.of(file).requireWhole();
        } catch (InvalidDataException e) {
            defects.fatal(path, "unreadable-image", value, "cannot be read: " + e.getMessage());
        }
    }

    private static @Nullable Path relative(String image) {
        try {
            Path path = Path.of(image);
            boolean absolute = path.isAbsolute() || image.startsWith("\\") || image.matches("(?s)[A-Za-z]:[\\\\/].*");
            boolean upwards = StreamSupport.stream(path.spliterator(), false).anyMatch(Path.of("..")::equals);
            return absolute || upwards ? null : path;
        } catch (InvalidPathException e) {
            return null;
        }
    }
}
