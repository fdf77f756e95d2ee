package dev.prpf.data.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.base.command.ResultStream;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.TestFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class BlindCommandTest {
    @TempDir
    Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private String message = "";

    @BeforeEach
    void capture() {
        ResultStream.redirect(new PrintStream(out, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void release() {
        ResultStream.redirect(System.out);
    }

    private int run(Path images, Path target) {
        CommandLine line = new CommandLine(new BlindCommand());
        line.setExecutionExceptionHandler((exception, command, parsed) -> {
            message = String.valueOf(exception.getMessage());
            return exception instanceof PrpfException known ? ExitCode.of(known).status() : 1;
        });
        return line.execute("--images", images.toString(), "--out", target.toString(), "--json");
    }

    @Test
    void everyImageIsGreyInItsOwnSizeAndPlace() throws IOException {
        Path images = Files.createDirectories(folder.resolve("data/images"));
        for (String name : new String[] {"rgba.png", "palette.gif", "rgb.bmp"}) {
            Files.copy(TestFiles.golden("image-formats/" + name), images.resolve(name));
        }
        Files.writeString(folder.resolve("data/records.json"), "[]");
        Path linked = Files.createDirectories(folder.resolve("elsewhere"));
        Files.copy(TestFiles.golden("image-formats/rgb.png"), linked.resolve("linked.png"));
        Files.createSymbolicLink(folder.resolve("data/more"), linked);
        Path target = folder.resolve("blind");
        assertThat(run(folder.resolve("data"), target)).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("\"images\":4");
        assertThat(target.resolve("records.json")).doesNotExist();
        assertThat(target.resolve("more/linked.png")).exists();
        for (String name : new String[] {"rgba.png", "palette.gif", "rgb.bmp"}) {
            Pixels grey = Pixels.read(target.resolve("images").resolve(name));
            assertThat(new int[] {grey.width(), grey.height()}).containsExactly(7, 5);
            assertThat(grey.rgb()).containsOnly(0x808080);
        }
    }

    @Test
    void nothingIsReplacedAndNothingIsInvented() throws IOException {
        Path images = Files.createDirectories(folder.resolve("data"));
        assertThat(run(images, folder.resolve("blind"))).isEqualTo(65);
        assertThat(message).contains("holds no image");
        Files.copy(TestFiles.golden("image-formats/rgb.png"), images.resolve("a.png"));
        assertThat(run(images, images)).isEqualTo(2);
        assertThat(message).contains("is not empty; name a new folder");
        assertThat(run(folder.resolve("none"), folder.resolve("blind"))).isEqualTo(65);
        assertThat(message).contains("none is not a folder");
        Files.copy(TestFiles.golden("image-formats/animated.gif"), images.resolve("b.gif"));
        assertThat(run(images, folder.resolve("blind"))).isEqualTo(65);
        assertThat(message).contains("b.gif is animated");
        assertThat(folder.resolve("blind"))
                .as("nothing is written before all is read")
                .doesNotExist();
    }
}
