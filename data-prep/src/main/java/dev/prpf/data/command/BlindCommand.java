package dev.prpf.data.command;

import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.image.Pixels;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf data blind}: writes the text-only baseline of a data set, with grey images of the same sizes. */
@Command(
        name = "blind",
        description =
                "Copy a folder of images with every pixel grey, with unchanged sizes, names and formats: the data set of a"
                        + " model's text-only baseline.",
        footer = "  ./prpf data blind --images data/train --out data/train-blind")
final class BlindCommand implements Runnable {
    private static final Color GREY = new Color(128, 128, 128);
    /** ImageIO's format names by file extension. */
    private static final Map<String, String> FORMATS =
            Map.of("png", "png", "jpg", "jpg", "jpeg", "jpg", "gif", "gif", "bmp", "bmp");

    @Option(names = "--images", paramLabel = "DIR", required = true, description = "Root of the image paths.")
    private Path images = Path.of("");

    @Option(names = "--out", paramLabel = "DIR", required = true, description = "Folder to write, new or empty.")
    private Path out = Path.of("");

    @Mixin
    private JsonOption output;

    @Override
    public void run() {
        List<Path> files = files();
        requireFree();
        Map<Path, Pixels.Size> sizes = new LinkedHashMap<>(); // all sizes are read before the first image is written
        files.forEach(file -> sizes.put(file, Pixels.size(file)));
        for (Path file : files) {
            write(
                    file,
                    Objects.requireNonNull(sizes.get(file)),
                    out.resolve(images.relativize(file).toString()));
        }
        output.print(new Blinded(files.size(), out.toString()));
    }

    private record Blinded(int images, String out) {}

    private List<Path> files() {
        if (!Files.isDirectory(images)) {
            throw new InvalidDataException("--images " + images + " is not a folder; name the root of the image paths");
        }
        try (Stream<Path> all = Files.walk(images, FileVisitOption.FOLLOW_LINKS)) {
            List<Path> files = all.filter(Files::isRegularFile)
                    .filter(file -> FORMATS.containsKey(ending(file)))
                    .sorted()
                    .toList();
            if (files.isEmpty()) {
                throw new InvalidDataException(
                        "--images " + images + " holds no image (*.png, *.jpg, *.jpeg, *.gif, *.bmp)");
            }
            return files;
        } catch (UncheckedIOException e) {
            throw unlisted(Objects.requireNonNull(e.getCause()));
        } catch (IOException e) {
            throw unlisted(e);
        }
    }

    private InvalidDataException unlisted(IOException e) {
        return new InvalidDataException(images + ": cannot be listed: " + IoFailure.reason(e), e);
    }

    private static String ending(Path file) {
        String name = file.getFileName().toString();
        return name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    }

    private void requireFree() {
        try (Stream<Path> there = Files.isDirectory(out) ? Files.list(out) : Stream.empty()) {
            if (there.findAny().isPresent()) {
                throw new UsageException("--out " + out + " is not empty; name a new folder, nothing is replaced");
            }
        } catch (IOException e) {
            throw IoFailure.writing(out, e);
        }
    }

    private static void write(Path file, Pixels.Size size, Path target) {
        BufferedImage grey = new BufferedImage(size.width(), size.height(), BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = grey.createGraphics();
        graphics.setColor(GREY);
        graphics.fillRect(0, 0, size.width(), size.height());
        graphics.dispose();
        AtomicFiles.write(target, stream -> {
            if (!ImageIO.write(grey, FORMATS.get(ending(file)), stream)) {
                throw new IOException("this JDK cannot write " + ending(file));
            }
        });
    }
}
