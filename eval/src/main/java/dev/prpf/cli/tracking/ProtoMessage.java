package dev.prpf.cli.tracking;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** A message in the wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding), field by field. */
final class ProtoMessage {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int BYTES = 2;
    private static final int FIXED32 = 5;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    ProtoMessage integer(int field, long value) {
        key(field, VARINT);
        varint(value);
        return this;
    }

    ProtoMessage real(int field, double value) {
        key(field, FIXED64);
        out.writeBytes(ByteBuffer.allocate(Double.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putDouble(value)
                .array());
        return this;
    }

    ProtoMessage single(int field, float value) {
        key(field, FIXED32);
        out.writeBytes(ByteBuffer.allocate(Float.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putFloat(value)
                .array());
        return this;
    }

    ProtoMessage text(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    ProtoMessage message(int field, ProtoMessage value) {
        return bytes(field, value.bytes());
    }

    private ProtoMessage bytes(int field, byte[] value) {
        key(field, BYTES);
        varint(value.length);
        out.writeBytes(value);
        return this;
    }

    byte[] bytes() {
        return out.toByteArray();
    }

    private void key(int field, int wireType) {
        varint(((long) field << 3) | wireType);
    }

    private void varint(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            out.write((int) ((rest & 0x7F) | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
    }
}
