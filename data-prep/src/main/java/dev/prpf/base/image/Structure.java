package dev.prpf.base.image;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * What the parts of a PNG or JPEG file say beside its pixels, which ImageIO does not tell: it reads a cut JPEG as grey below the cut. Files of other
 * formats are one frame, and their readers notice a cut themselves.
 *
 * @param frames of a PNG; a film is no screenshot, and its first frame alone need not be the one that is meant
 * @param ended whether the part that ends the file was seen; false of a JPEG of which no more than the header was read
 */
record Structure(int frames, boolean ended) {
    private static final int PNG = 0x8950;
    private static final int PNG_SIGNATURE = 8;
    private static final int DATA = 0x49444154; // "IDAT"
    private static final int ANIMATION = 0x6163544C; // "acTL", which stands before the data
    private static final int END = 0x49454E44; // "IEND"

    private static final int JPEG = 0xFFD8;
    private static final int SCAN = 0xDA; // SOS
    private static final int END_OF_IMAGE = 0xD9; // EOI
    private static final int FILL = 0xFF;

    /**
     * Reads a file's parts, of a damaged one as many as there are.
     *
     * @param toEnd whether a JPEG is read to its end, not to its pixels alone
     */
    static Structure of(InputStream file, boolean toEnd) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(file));
        return switch (in.readUnsignedShort()) {
            case PNG -> ofPng(in);
            case JPEG -> ofJpeg(in, toEnd);
            default -> new Structure(1, true);
        };
    }

    /** Chunks: length, kind, content, checksum. */
    private static Structure ofPng(DataInputStream in) throws IOException {
        int frames = 1;
        boolean data = false;
        try {
            in.skipNBytes(PNG_SIGNATURE - Short.BYTES);
            while (true) {
                long length = Integer.toUnsignedLong(in.readInt());
                int kind = in.readInt();
                data |= kind == DATA;
                if (kind == ANIMATION && !data) {
                    frames = in.readInt();
                    length -= Integer.BYTES;
                }
                in.skipNBytes(length + Integer.BYTES);
                if (kind == END) {
                    return new Structure(frames, true);
                }
            }
        } catch (EOFException e) {
            return new Structure(frames, false);
        }
    }

    /** Segments, marker, length, content, and behind that of a scan its pixels. */
    private static Structure ofJpeg(DataInputStream in, boolean toEnd) throws IOException {
        try {
            while (true) {
                int marker = marker(in);
                if (marker == END_OF_IMAGE || (marker == SCAN && !toEnd)) {
                    return new Structure(1, marker == END_OF_IMAGE);
                }
                if (!alone(marker)) {
                    in.skipNBytes(in.readUnsignedShort() - Short.BYTES);
                }
            }
        } catch (EOFException e) {
            return new Structure(1, false);
        }
    }

    /** The next marker, whatever stands before it; a zero behind its first byte makes it a byte of pixels. */
    private static int marker(DataInputStream in) throws IOException {
        int code;
        do {
            while (in.readUnsignedByte() != FILL) {}
            do {
                code = in.readUnsignedByte();
            } while (code == FILL);
        } while (code == 0);
        return code;
    }

    /** Whether a marker has no content: TEM, the restarts within a scan, and SOI. */
    private static boolean alone(int marker) {
        return marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8);
    }
}
