package dev.prpf.par.export;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.data.TraceStep;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.image.ImageFormat;
import dev.prpf.data.encode.image.Raster;
import dev.prpf.par.sets.SftRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The pictures of an export: each content once, under its SHA-256. */
final class PictureFiles {
    /** Their folder in the export. */
    static final String FOLDER = "images";

    private final Path export;
    private final ImageFolder source;
    private final Map<String, String> names = new HashMap<>();
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
     * Makes sure, by their headers, that a record's pictures can be copied and read.
     *
     * @throws PrpfException 2 without a folder to find them in, 65, naming record and file, for one that is missing or no picture
     */
    void requireReadable(SftRecord record) {
        for (String path : record.images()) {
            ImageFile image = image(path, record.id());
            try {
                if (image.content() == null) {
                    Raster.requireReadable(Objects.requireNonNull(image.file()));
                } else {
                    Raster.size(image.content().bytes());
                }
            } catch (PrpfException e) {
                throw e.at("record \"" + record.id() + "\"");
            }
        }
    }

    /** Copies a record's pictures; their paths in the export's folder, in the prompt's order. */
    List<String> of(SftRecord record) {
        return record.images().stream()
                .map(path -> names.computeIfAbsent(path, unknown -> copy(image(unknown, record.id()))))
                .toList();
    }

    /** How many different pictures were copied. */
    int count() {
        return written.size();
    }

    private ImageFile image(String path, String owner) {
        return source.image(new TraceStep.Screenshot(path), owner);
    }

    private String copy(ImageFile image) {
        byte[] bytes = bytes(image);
        String name = FOLDER + "/" + AtomicFiles.sha256(bytes) + "." + ImageFormat.of(bytes);
        if (written.add(name)) {
            Path file = export.resolve(name);
            AtomicFiles.requireWritable(file);
            AtomicFiles.write(file, out -> out.write(bytes));
        }
        return name;
    }

    private static byte[] bytes(ImageFile image) {
        Path file = image.file();
        try {
            return file == null ? Objects.requireNonNull(image.content()).bytes() : Files.readAllBytes(file);
        } catch (IOException e) {
            throw IoFailure.reading(Objects.requireNonNull(file), e);
        }
    }
}
