package dev.prpf.data.synth.screen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.Language;
import dev.prpf.data.synth.SynthSample.Screen;
import dev.prpf.data.synth.screen.ScreenBody.LineBreaker;
import dev.prpf.data.synth.screen.ScreenPainter.Canvas;
import dev.prpf.data.synth.screen.ScreenPainter.ScreenKind;
import java.awt.Font;
import java.awt.FontMetrics;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScreenPainterTest {
    private static final Font FONT = ScreenFont.load(null);

    private static Screen screen(String sentence) {
        return new Screen("images/a.png", sentence, List.of("麻婆豆腐"), "浏览器", List.of("宠物日常", "手机测评"), "12:30", 9, null);
    }

    @ParameterizedTest
    @CsvSource({"搜索麻婆豆腐, LIST", "收到通知：麻婆豆腐外卖已下单, NOTIFICATIONS", "和同事说中午想吃麻婆豆腐, CHAT", "系统提示缓存占用过多空间, DIALOG"})
    void everyKindIsDrawnWithInkAndInOnePlaceOnly(String sentence, ScreenKind kind) throws IOException {
        assertThat(ScreenKind.of(sentence)).isEqualTo(kind);
        ScreenPainter painter = new ScreenPainter(FONT, Language.ZH);
        BufferedImage image = painter.paint(screen(sentence));
        assertThat(image.getWidth()).isEqualTo(270);
        assertThat(image.getHeight()).isEqualTo(600);
        assertThat(differing(image, painter.paint(screen("")))).isGreaterThan(100);

        ByteArrayOutputStream one = new ByteArrayOutputStream();
        ByteArrayOutputStream two = new ByteArrayOutputStream();
        painter.write(screen(sentence), one);
        painter.write(screen(sentence), two);
        assertThat(one.toByteArray()).isEqualTo(two.toByteArray());
    }

    private static int differing(BufferedImage one, BufferedImage two) {
        int differing = 0;
        for (int y = 0; y < one.getHeight(); y++) {
            for (int x = 0; x < one.getWidth(); x++) {
                if (one.getRGB(x, y) != two.getRGB(x, y)) {
                    differing++;
                }
            }
        }
        return differing;
    }

    @Test
    void aLineBreakCutsNoNameAndNoNumber() {
        FontMetrics metrics = new Canvas(FONT, java.awt.Color.WHITE).metrics(15);
        String text = "淘宝的登山包优惠今天晚上10点截止，他还没下单";

        List<String> lines = LineBreaker.lines(text, metrics, 100, List.of("登山包", "晚上10点"));

        assertThat(String.join("", lines)).isEqualTo(text);
        assertThat(lines).allMatch(line -> metrics.stringWidth(line) <= 100 + metrics.charWidth('，'));
        assertThat(lines).anyMatch(line -> line.contains("登山包")).anyMatch(line -> line.contains("晚上10点"));
    }
}
