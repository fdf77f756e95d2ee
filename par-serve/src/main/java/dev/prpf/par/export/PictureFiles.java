package dev.prpf.par.export;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.image.ImageFormat;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.TraceStep;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.image.PictureBudget;
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

/** The pictures of an export: each content once, under its SHA-256. One that is stored turned is written upright: not every trainer heeds EXIF. */
final class PictureFiles {
    /** Their folder in the export. */
    static final String FOLDER = "images";

    private static final Pattern COPY = Pattern.compile("[0-9a-f]{64}\\.[a-z]+");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path export;
    private final ImageFolder source;
    private final Map<String, String> names = new HashMap<>();
    private final Set<String> checked = new HashSet<>();
    private final Set<String> contents = new HashSet<>();
    private final Set<String> written = new HashSet<>();

    /**
     * Nothing is copied yet.
     *
     * @param source where the records' paths begin
     */
    PictureFiles(Path export, ImageFolder source) {
        this.export = export;
        this.source = source;
    }

    /**
     * Makes sure that a record's pictures can be copied and read; each is decoded once.
     *
     * @throws PrpfException 2 without a folder to find them in, 65, naming record and file, for one that is missing, no picture or damaged
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
     * Whether an export has pictures of its own.
     *
     * @param manifest of it, which may be missing
     * @throws PrpfException 65 for one that is no JSON
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
                    manifest + ": is no export's: " + e.getOriginalMessage()
                            + "; name another folder with --out, or remove this one",
                    e);
        } catch (IOException e) {
            throw IoFailure.reading(manifest, e);
        }
    }

    /** Removes the pictures of an export that stands there, and their folder if nothing else is in it. */
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

    /** Copies a record's pictures; their paths in the export's folder, in the prompt's order. */
    List<String> of(SftRecord record) {
        return record.images().stream()
                .map(path -> names.computeIfAbsent(path, unknown -> copy(image(unknown, record.id()))))
                .toList();
    }

    /** How many different pictures were checked or copied. */
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

    /** The picture's file, or one of its pixels as they are shown. */
    private static byte[] bytes(ImageFile image) {
        if (!image.upright()) {
            return PictureBudget.png(image.read(), image.size());
        }
        Path file = image.file();
        return file == null
                ? Objects.requireNonNull(image.content()).bytes()
                : IoFailure.whileReading(file, () -> Files.readAllBytes(file));
    }
}
