package dev.prpf.base.files;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Reads and writes of a file that go on until the whole buffer is through. */
public final class FileBytes {
    private FileBytes() {}

    /**
     * Fills the rest of a buffer.
     *
     * @param at the first byte's place in the file
     * @throws EOFException if the file ends before
     */
    public static void read(FileChannel channel, ByteBuffer into, long at) throws IOException {
        for (long place = at; into.hasRemaining(); ) {
            int read = channel.read(into, place);
            if (read < 0) {
                throw new EOFException("the file ends at " + place);
            }
            place += read;
        }
    }

    /** Writes the rest of a buffer from a place in the file on. */
    public static void write(FileChannel channel, ByteBuffer from, long at) throws IOException {
        for (long place = at; from.hasRemaining(); ) {
            place += channel.write(from, place);
        }
    }
}
