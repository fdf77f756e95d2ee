package dev.prpf.par.export;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.image.EncodedImage.ImageFormat;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.encode.image.ImageBudget;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.sets.SftRecord;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/** The images of an export: each content once, named by its SHA-256. EXIF rotation is applied, since some trainers ignore it. */
final class ImageFiles {
    static final String FOLDER = "images";

    private static final Pattern COPY = Pattern.compile("[0-9a-f]{64}\\.[a-z]+");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path export;
    private final ImageFolder source;
    private final Map<String, String> names = new HashMap<>();
    private final Set<String> checked = new HashSet<>();
    private final Set<String> contents = new HashSet<>();
    private final Set<String> written = new HashSet<>();

    /** Prepares the copies; writes nothing yet. */
    ImageFiles(Path export, ImageFolder source) {
        this.export = export;
        this.source = source;
    }

    /**
     * Checks that a record's images can be copied and decoded; each is decoded once.
     *
     * @throws PrpfException 2 without an image folder, 65, naming record and file, for a missing or invalid image
     */
    void requireReadable(SftRecord record) {
        for (String path : record.images()) {
            if (checked.add(path)) {
                requireReadable(image(path, record.id()), record.id());
            }
        }
    }

    private void requireReadable(ImageFile image, String id) {
        try {
            if (image.content() == null) {
                Pixels.read(Objects.requireNonNull(image.file()));
            } else {
                Pixels.read(image.content().bytes());
            }
        } catch (PrpfException e) {
            throw e.at("record \"" + id + "\"");
        }
        contents.add(name(bytes(image)));
    }

    /**
     * Returns whether an export has copies of images.
     *
     * @param manifest of the export, which may be missing
     * @throws PrpfException 65 if the manifest is not JSON
     */
    static boolean areListed(Path manifest) {
        if (!Files.exists(manifest)) {
            return false;
        }
        try {
            JsonNode files = JSON.readTree(manifest.toFile()).path("files");
            return StreamSupport.stream(files.spliterator(), false)
                    .anyMatch(file -> file.asText().equals(FOLDER));
        } catch (JsonProcessingException e) {
            throw new InvalidDataException(
                    manifest + ": is not an export's manifest: " + e.getOriginalMessage()
                            + "; name another folder with --out, or remove this one",
                    e);
        } catch (IOException e) {
            throw IoFailure.reading(manifest, e);
        }
    }

    /** Deletes the images of an existing export, and their folder if it is then empty. */
    static void clear(Path export) throws IOException {
        Path folder = export.resolve(FOLDER);
        if (!Files.isDirectory(folder)) {
            return;
        }
        boolean others = false;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                if (COPY.matcher(file.getFileName().toString()).matches()) {
                    Files.delete(file);
                } else {
                    others = true;
                }
            }
        }
        if (!others) {
            Files.delete(folder);
        }
    }

    /** Copies a record's images; returns their paths in the export, in the prompt's order. */
    List<String> of(SftRecord record) {
        return record.images().stream()
                .map(path -> names.computeIfAbsent(path, unknown -> copy(image(unknown, record.id()))))
                .toList();
    }

    /** Number of distinct images checked or copied. */
    int count() {
        return contents.size();
    }

    private ImageFile image(String path, String owner) {
        return source.image(new TraceStep.Screenshot(path), owner);
    }

    private String copy(ImageFile image) {
        byte[] bytes = bytes(image);
        String name = name(bytes);
        if (written.add(name)) {
            contents.add(name);
            Path file = export.resolve(name);
            AtomicFiles.requireWritable(file);
            AtomicFiles.write(file, out -> out.write(bytes));
        }
        return name;
    }

    private static String name(byte[] bytes) {
        return FOLDER + "/" + AtomicFiles.sha256(bytes) + "." + ImageFormat.of(bytes);
    }

    /** Returns the bytes of the image's file, or of an upright PNG. */
    private static byte[] bytes(ImageFile image) {
        if (!image.upright()) {
            return ImageBudget.png(image.read(), image.size());
        }
        Path file = image.file();
        return file == null
                ? Objects.requireNonNull(image.content()).bytes()
                : IoFailure.whileReading(file, () -> Files.readAllBytes(file));
    }
}
