package dev.prpf.data.encode;

import dev.prpf.data.encode.image.FrameEncoder;
import dev.prpf.data.encode.image.OnnxImageEncoder;
import dev.prpf.data.encode.image.Picture;
import java.util.List;
import java.util.function.Supplier;

/**
 * A vision tower behind its store.
 *
 * @param tower owned
 * @param stored what it saw; owned
 */
record StoredFrameEncoder(OnnxImageEncoder tower, StoredEncodings<Picture, float[]> stored) implements FrameEncoder {
    @Override
    public String id() {
        return tower.id();
    }

    @Override
    public int width() {
        return tower.width();
    }

    @Override
    public long encoded() {
        return stored.encoded();
    }

    @Override
    public List<Supplier<float[]>> encodeLazily(List<Picture> pictures) {
        return stored.getLazily(pictures);
    }

    @Override
    public void close() {
        stored.close();
        tower.close();
    }
}
