package dev.prpf.data.encode.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.image.Parts;
import dev.prpf.data.encode.store.ContentKey;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImageKeysTest {
    @TempDir
    private Path folder;

    private static byte[] turned(int orientation) throws IOException {
        byte[] jpeg = Parts.written(new BufferedImage(20, 10, BufferedImage.TYPE_INT_RGB), "jpg");
        return Parts.withExif(jpeg, Parts.exif(orientation));
    }

    /** Returns the key of an image, which is equal in a file and in memory. */
    private ContentKey key(byte[] content) throws IOException {
        ImageFile file = ImageFile.of(Files.write(folder.resolve("image"), content));
        try (ImageKeys keys = new ImageKeys(1)) {
            List<ContentKey> both = keys.of(List.of(file, new ImageFile(null, new ImageFile.Content(content), "")));
            assertThat(both.get(0)).isEqualTo(both.get(1));
            return both.get(0);
        }
    }

    /** Upright images keep the keys of existing stores. */
    @Test
    void anUprightImagesKeyIsThatOfItsBytes() throws IOException {
        for (byte[] upright : new byte[][] {turned(1), {1, 2, 3}, {}}) {
            assertThat(key(upright)).isEqualTo(ContentKey.of(upright));
        }
    }

    @Test
    void aTurnedImagesKeyIsAnother() throws IOException {
        byte[] turned = turned(6);
        assertThat(key(turned)).isNotEqualTo(ContentKey.of(turned)).isNotEqualTo(key(turned(3)));
    }

    /** A server's images of one key would otherwise wait for those of another. */
    @Test
    void oneImageWaitsForNoOthers() {
        ImageKeys keys = new ImageKeys(1);
        keys.close(); // no thread takes a task
        byte[] content = {1, 2, 3};
        assertThat(keys.of(List.of(new ImageFile(null, new ImageFile.Content(content), ""))))
                .containsExactly(ContentKey.of(content));
    }
}
