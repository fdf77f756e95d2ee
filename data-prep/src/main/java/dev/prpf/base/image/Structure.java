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
 * What a picture's file says beside its pixels, which ImageIO does not tell: it reads a cut JPEG as grey below the cut.
 *
 * @param format that its first bytes name
 * @param frames of a PNG or GIF, of a cut one those that were seen; a film is no screenshot, and its first frame alone need not be the one that is meant
 * @param scans number of scans of a JPEG that was read to its end; else at most 1
 * @param orientation how the pixels are turned
 * @param ended whether the part that ends the file was seen; false of a JPEG of which no more than the header was read
 */
record Structure(ImageFormat format, int frames, int scans, Orientation orientation, boolean ended) {
    private static final int PNG_SIGNATURE = 8;
    private static final int DATA = 0x49444154; // "IDAT"
    private static final int ANIMATION = 0x6163544C; // "acTL", which stands before the data
    private static final int EXIF = 0x65584966; // "eXIf"
    private static final int END = 0x49454E44; // "IEND"
    private static final int MOST_EXIF = 1 << 16; // as a JPEG's

    private static final int GIF_SIGNATURE = 6;
    private static final int IMAGE = 0x2C;
    private static final int EXTENSION = 0x21;
    private static final int TRAILER = 0x3B;

    private static final int BMP_SIGNATURE = 2;

    private static final int SCAN = 0xDA; // SOS
    private static final int END_OF_IMAGE = 0xD9; // EOI
    private static final int APPLICATION = 0xE1; // APP1
    private static final String EXIF_HEAD = "Exif\0\0";
    private static final int FILL = 0xFF;

    /**
     * Reads a file's parts, of a damaged one as many as there are; null of a file of another format.
     *
     * @param toEnd whether a JPEG is read to its end, not to its pixels alone
     */
    static @Nullable Structure of(InputStream file, boolean toEnd) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(file));
        in.mark(ImageFormat.LONGEST_BEGIN);
        ImageFormat format = ImageFormat.of(in.readNBytes(ImageFormat.LONGEST_BEGIN));
        if (format == null) {
            return null;
        }
        in.reset();
        return switch (format) {
            case PNG -> ofPng(in);
            case JPEG -> ofJpeg(in, toEnd);
            case GIF -> ofGif(in);
            case BMP -> structure(format, 1, null, bmpEnded(in));
        };
    }

    /** Chunks: length, kind, content, checksum. */
    private static Structure ofPng(DataInputStream in) throws IOException {
        int frames = 1;
        Orientation orientation = null;
        boolean data = false;
        try {
            in.skipNBytes(PNG_SIGNATURE);
            while (true) {
                long length = Integer.toUnsignedLong(in.readInt());
                int kind = in.readInt();
                data |= kind == DATA;
                if (kind == ANIMATION && !data) {
                    frames = Math.max(1, in.readInt());
                    length -= Integer.BYTES;
                } else if (kind == EXIF && orientation == null && length <= MOST_EXIF) {
                    orientation = Orientation.ofExif(in.readNBytes((int) length));
                    length = 0;
                }
                in.skipNBytes(length + Integer.BYTES);
                if (kind == END) {
                    return structure(ImageFormat.PNG, frames, orientation, true);
                }
            }
        } catch (EOFException e) {
            return structure(ImageFormat.PNG, frames, orientation, false);
        }
    }

    /** Segments, marker, length, content, and behind that of a scan its pixels. The first EXIF block before the pixels counts. */
    private static Structure ofJpeg(DataInputStream in, boolean toEnd) throws IOException {
        Orientation orientation = null;
        int scans = 0;
        boolean ended = false;
        try {
            while (!ended && (toEnd || scans == 0)) {
                int marker = marker(in);
                ended = marker == END_OF_IMAGE;
                scans += marker == SCAN ? 1 : 0;
                if (ended || alone(marker)) {
                    continue;
                }
                int length = Math.max(0, in.readUnsignedShort() - Short.BYTES);
                if (marker == APPLICATION && orientation == null && scans == 0) {
                    orientation = ofApplication(in.readNBytes(length));
                } else {
                    in.skipNBytes(length);
                }
            }
        } catch (EOFException e) {
            ended = false;
        }
        return new Structure(
                ImageFormat.JPEG, 1, scans, orientation == null ? Orientation.UPRIGHT : orientation, ended);
    }

    /** Images and extensions, each ending with blocks; what is neither is passed over. */
    private static Structure ofGif(DataInputStream in) throws IOException {
        int frames = 0;
        boolean ended = false;
        try {
            in.skipNBytes(GIF_SIGNATURE + 2 * Short.BYTES); // width, height
            skipColours(in, 2); // background, aspect
            while (!ended) {
                int kind = in.readUnsignedByte();
                ended = kind == TRAILER;
                if (kind == IMAGE) {
                    frames++;
                    in.skipNBytes(4 * Short.BYTES); // left, top, width, height
                    skipColours(in, 1); // the codes' size
                    skipBlocks(in);
                } else if (kind == EXTENSION) {
                    in.skipNBytes(1);
                    skipBlocks(in);
                }
            }
        } catch (EOFException e) {
            ended = false;
        }
        return structure(ImageFormat.GIF, frames, null, ended);
    }

    /** Flags, which say how long a table of colours is, and the table, with so many bytes beside it. */
    private static void skipColours(DataInputStream in, int others) throws IOException {
        int flags = in.readUnsignedByte();
        in.skipNBytes(others + ((flags & 0x80) == 0 ? 0 : 3 << ((flags & 7) + 1)));
    }

    private static void skipBlocks(DataInputStream in) throws IOException {
        int length;
        do {
            length = in.readUnsignedByte();
            in.skipNBytes(length);
        } while (length > 0);
    }

    /** Behind its signature it names its own size, where it names one. */
    private static boolean bmpEnded(DataInputStream in) throws IOException {
        try {
            in.skipNBytes(BMP_SIGNATURE);
            long size = Integer.toUnsignedLong(Integer.reverseBytes(in.readInt()));
            in.skipNBytes(size - BMP_SIGNATURE - Integer.BYTES);
            return true;
        } catch (EOFException e) {
            return false;
        }
    }

    private static Structure structure(
            ImageFormat format, int frames, @Nullable Orientation orientation, boolean ended) {
        return new Structure(format, frames, 1, orientation == null ? Orientation.UPRIGHT : orientation, ended);
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
