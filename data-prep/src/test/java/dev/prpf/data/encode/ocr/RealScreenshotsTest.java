package dev.prpf.data.encode.ocr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.data.ThirdPartyRecords;
import dev.prpf.data.encode.image.ImageFile;
import java.io.IOException;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** Reads eight real phone screenshots, 1080 x 2400, and compares the text with the known strings of the app. */
class RealScreenshotsTest {
    private static final Logger LOG = LoggerFactory.getLogger(RealScreenshotsTest.class);

    private static final String FETCH =
            """
            git clone https://github.com/Futsch1/medTimer.git && git -C medTimer checkout 800fe48b
            mkdir -p $PRPF_TESTDATA/screens/medtimer
            cp $(find medTimer -path '*zh-CN*' -name '[1-8].png') $PRPF_TESTDATA/screens/medtimer
            cp $(find medTimer -path '*values-zh-rCN/strings.xml') $PRPF_TESTDATA/screens/medtimer/strings-zh-rCN.xml""";

    /** The strings fully visible on each image, by resource name. */
    private static final Map<Integer, List<String>> SHOWN = new TreeMap<>(Map.of(
            1, List.of("log_additional_dose"),
            2,
                    List.of(
                            "medicine_stock_string",
                            "sum_reminders",
                            "daily_below_threshold",
                            "expiration_date",
                            "add_medicine",
                            "every_interval",
                            "hours",
                            "continuous_from"),
            3,
                    List.of(
                            "medicine_name",
                            "reminders",
                            "time",
                            "advanced_settings",
                            "daily_below_threshold",
                            "dosage",
                            "every_day",
                            "add_reminder"),
            4,
                    List.of(
                            "advanced_settings",
                            "reminder_threshold",
                            "out_of_stock_reminder",
                            "daily_below_threshold",
                            "medicine_stock",
                            "amount",
                            "edit_medicine_stock_settings"),
            5,
                    List.of(
                            "notification_title",
                            "taken",
                            "snooze",
                            "expiration_reminder",
                            "out_of_stock_notification_title"),
            6, List.of("seven_days", "last_n_days", "total", "taken", "skipped"),
            7, List.of("filter", "taken", "name"),
            8, List.of()));

    /** The three tabs at the bottom of every image except the notification shade. */
    private static final List<String> TABS = List.of("tab_overview", "tab_medicine", "analysis");

    @Test
    @Tag("slow")
    void readsBackTheStringsThatTheScreensShow() throws Exception {
        Path folder = ThirdPartyRecords.folder("screens/medtimer", FETCH);
        Map<String, String> strings = strings(folder.resolve("strings-zh-rCN.xml"));
        List<String> missed = new ArrayList<>();
        List<String> otherWidth = new ArrayList<>();
        int shown = 0;
        double seconds = 0;
        try (ScreenReader reader = new ScreenReader(2)) {
            for (Map.Entry<Integer, List<String>> image : SHOWN.entrySet()) {
                long start = System.nanoTime();
                String text = text(reader, folder.resolve(image.getKey() + ".png"));
                seconds += (System.nanoTime() - start) / 1e9;
                List<String> names = Stream.concat(image.getValue().stream(), tabs(image.getKey()))
                        .toList();
                shown += names.size();
                names.stream()
                        .filter(name -> !stands(strings.get(name), text, RealScreenshotsTest::compact))
                        .forEach(name -> missed.add(image.getKey() + ":" + name));
                names.stream()
                        .filter(name -> !stands(strings.get(name), text, RealScreenshotsTest::withoutSpace))
                        .forEach(name -> otherWidth.add(image.getKey() + ":" + name));
            }
        }
        LOG.info(
                "read back {} of {} strings, {} of them mark for mark, {} s a frame; missed {}, of another width {}",
                shown - missed.size(),
                shown,
                shown - otherWidth.size(),
                seconds / 8,
                missed,
                otherWidth);
        assertThat(shown).isEqualTo(58);
        assertThat(missed).as("strings not read back").isEmpty();
    }

    private static String text(ScreenReader reader, Path screen) {
        return reader.texts(List.of(ImageFile.of(screen))).get(0);
    }

    private static Stream<String> tabs(int image) {
        return image == 5 ? Stream.of() : TABS.stream();
    }

    private static boolean stands(@Nullable String template, String read, UnaryOperator<String> normal) {
        assertThat(template).as("the string's resource").isNotNull();
        return template != null
                && Stream.of(template.split("%\\d*\\$?[sd]")).map(normal).allMatch(normal.apply(read)::contains);
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s+", "");
    }

    /** Removes white space and converts full-width marks to half-width ones. */
    private static String compact(String text) {
        return withoutSpace(Normalizer.normalize(text, Normalizer.Form.NFKC));
    }

    private static Map<String, String> strings(Path file)
            throws IOException, ParserConfigurationException, SAXException {
        NodeList all = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(file.toFile())
                .getElementsByTagName("*");
        Map<String, String> strings = new HashMap<>();
        for (int i = 0; i < all.getLength(); i++) {
            Element element = (Element) all.item(i);
            if (element.hasAttribute("name")) {
                strings.put(
                        element.getAttribute("name"), element.getTextContent().strip());
            }
        }
        return strings;
    }
}
