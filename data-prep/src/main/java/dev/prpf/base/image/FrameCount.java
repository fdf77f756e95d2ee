package dev.prpf.base.image;

import java.io.EOFException;
import java.io.IOException;
import java.util.Locale;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;

/** How many frames an image has: a film is no screenshot, and its first frame alone need not be the one that is meant. */
final class FrameCount {
    private static final int PNG_SIGNATURE = 8;
    private static final int DATA = 0x49444154; // "IDAT"
    private static final int ANIMATION = 0x6163544C; // "acTL", which stands before the data

    private FrameCount() {}

    /**
     * What can be told before a reader has the stream, which gives up the bytes that it read; the stream stays where it was.
     *
     * @return 1 where the format is not PNG, or the file ends too early for its reader
     */
    static int ofPng(ImageReader reader, ImageInputStream in) throws IOException {
        if (!format(reader).equals("png")) {
            return 1;
        }
        long begin = in.getStreamPosition();
        try {
            in.seek(begin + PNG_SIGNATURE);
            return frames(in);
        } catch (EOFException e) {
            return 1;
        } finally {
            in.seek(begin);
        }
    }

    private static int frames(ImageInputStream in) throws IOException {
        while (true) {
            long length = in.readUnsignedInt();
            int kind = in.readInt();
            if (kind == ANIMATION) {
                return in.readInt();
            }
            if (kind == DATA) {
                return 1;
            }
            in.seek(in.getStreamPosition() + length + Integer.BYTES);
        }
    }

    /** @return 1 where the format is not GIF */
    static int ofGif(ImageReader reader) throws IOException {
        return format(reader).equals("gif") ? reader.getNumImages(true) : 1;
    }

    private static String format(ImageReader reader) throws IOException {
        return reader.getFormatName().toLowerCase(Locale.ROOT);
    }
}
