package dev.prpf.data.onnx;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file that a frozen network needs: its weights, a tokenizer, a list of characters. */
public interface ModelFile {
    /** Returns the file's name for messages. */
    String name();

    /** Returns the SHA-256 of its bytes in lower-case hexadecimal. */
    String sha256();

    /**
     * Checks that the file exists.
     *
     * @throws PrpfException 69 if it is missing, with a hint how to get it
     */
    void requirePresent();

    /**
     * Returns the bytes of the file.
     *
     * @throws PrpfException 69 if it is missing or has another checksum; 65 if it is too large for a model
     */
    ByteBuffer content();

    /** Returns {@link #content} as a byte array. */
    default byte[] bytes() {
        ByteBuffer content = content();
        if (content.hasArray() && content.arrayOffset() == 0) {
            return content.array();
        }
        byte[] bytes = new byte[content.remaining()];
        content.get(bytes);
        return bytes;
    }

    /** A file on disk, memory-mapped when it is read. */
    record OnDisk(Path path) implements ModelFile {
        @Override
        public void requirePresent() {
            if (!Files.isRegularFile(path)) {
                throw new UnavailableException("model file " + path + " does not exist; check the path");
            }
        }

        @Override
        public String name() {
            return path.toString();
        }

        @Override
        public String sha256() {
            requirePresent();
            return AtomicFiles.sha256(path);
        }

        @Override
        public ByteBuffer content() {
            requirePresent();
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
                OnnxModel.requireSize(name(), channel.size());
                return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
            } catch (IOException e) {
                throw new InvalidDataException("model file " + path + " cannot be read: " + e.getMessage(), e);
            }
        }
    }
}
