package dev.prpf.base.image;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of a PNG or JPEG file say beside its pixels, which ImageIO does not tell: it reads a cut JPEG as grey below the cut. Files of other
 * formats are one frame, and their readers notice a cut themselves.
 *
 * @param frames of a PNG; a film is no screenshot, and its first frame alone need not be the one that is meant
 * @param orientation how the pixels are turned
 * @param ended whether the part that ends the file was seen; false of a JPEG of which no more than the header was read
 */
record Structure(int frames, Orientation orientation, boolean ended) {
    private static final int PNG = 0x8950;
    private static final int PNG_SIGNATURE = 8;
    private static final int DATA = 0x49444154; // "IDAT"
    private static final int ANIMATION = 0x6163544C; // "acTL", which stands before the data
    private static final int EXIF = 0x65584966; // "eXIf"
    private static final int END = 0x49454E44; // "IEND"
    private static final int MOST_EXIF = 1 << 16; // as a JPEG's

    private static final int JPEG = 0xFFD8;
    private static final int SCAN = 0xDA; // SOS
    private static final int END_OF_IMAGE = 0xD9; // EOI
    private static final int APPLICATION = 0xE1; // APP1
    private static final String EXIF_HEAD = "Exif\0\0";
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
            default -> new Structure(1, Orientation.UPRIGHT, true);
        };
    }

    /** Chunks: length, kind, content, checksum. */
    private static Structure ofPng(DataInputStream in) throws IOException {
        int frames = 1;
        Orientation orientation = null;
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
                } else if (kind == EXIF && orientation == null && length <= MOST_EXIF) {
                    orientation = Orientation.ofExif(in.readNBytes((int) length));
                    length = 0;
                }
                in.skipNBytes(length + Integer.BYTES);
                if (kind == END) {
                    return structure(frames, orientation, true);
                }
            }
        } catch (EOFException e) {
            return structure(frames, orientation, false);
        }
    }

    /** Segments, marker, length, content, and behind that of a scan its pixels. The first EXIF block before the pixels counts. */
    private static Structure ofJpeg(DataInputStream in, boolean toEnd) throws IOException {
        Orientation orientation = null;
        boolean scanned = false;
        boolean ended = false;
        try {
            while (!ended && (toEnd || !scanned)) {
                int marker = marker(in);
                ended = marker == END_OF_IMAGE;
                scanned |= marker == SCAN;
                if (ended || alone(marker)) {
                    continue;
                }
                int length = Math.max(0, in.readUnsignedShort() - Short.BYTES);
                if (marker == APPLICATION && orientation == null && !scanned) {
                    orientation = ofApplication(in.readNBytes(length));
                } else {
                    in.skipNBytes(length);
                }
            }
        } catch (EOFException e) {
            ended = false;
        }
        return structure(1, orientation, ended);
    }

    private static Structure structure(int frames, @Nullable Orientation orientation, boolean ended) {
        return new Structure(frames, orientation == null ? Orientation.UPRIGHT : orientation, ended);
    }

    /** Null of an application's segment that is not EXIF's. */
    private static @Nullable Orientation ofApplication(byte[] content) {
        int head = EXIF_HEAD.length();
        boolean exif =
                new String(content, 0, Math.min(head, content.length), StandardCharsets.ISO_8859_1).equals(EXIF_HEAD);
        return exif ? Orientation.ofExif(Arrays.copyOfRange(content, head, content.length)) : null;
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
