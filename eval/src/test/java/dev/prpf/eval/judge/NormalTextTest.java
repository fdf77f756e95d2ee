package dev.prpf.eval.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.eval.judge.NormalForm.NormalText;
import dev.prpf.eval.judge.NormalForm.Quantity;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.MonthDay;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NormalTextTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-06-04",
                "2026-6-4",
                "2026/06/04",
                "2026年6月4日",
                "２０２６年０６月０４号",
                "June 4, 2026",
                "Jun. 4 2026",
                "4 June 2026",
                "4th Jun, 2026",
                "JUNE 4TH, 2026"
            })
    void dates(String text) {
        assertThat(NormalText.of(text)).isEqualTo(new WrittenTime(LocalDate.of(2026, 6, 4), null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "15:30",
                "15:30:00",
                "15点30分",
                "15时30",
                "15点半",
                "下午3点半",
                "下午3:30",
                "3:30 PM",
                "3:30pm",
                "3:30 p.m.",
                "3:30 in the afternoon",
                "half past 3 in the afternoon"
            })
    void times(String text) {
        assertThat(NormalText.of(text)).isEqualTo(new WrittenTime(null, LocalTime.of(15, 30)));
    }

    @ParameterizedTest
    @CsvSource({
        "上午9点, 09:00",
        "9am, 09:00",
        "12 am, 00:00",
        "12 pm, 12:00",
        "凌晨12:05, 00:05",
        "中午12点, 12:00",
        "中午1点, 13:00",
        "中午11点, 11:00",
        "晚上8点整, 20:00",
        "晚上20:00, 20:00",
        "晚上12点, 00:00",
        "7 in the evening, 19:00",
        "9 in the morning, 09:00",
        "11 at night, 23:00",
        "08:00:30, 08:00:30"
    })
    void partsOfTheDay(String text, String time) {
        assertThat(NormalText.of(text)).isEqualTo(new WrittenTime(null, LocalTime.parse(time)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-06-04 15:30",
                "2026-06-04T15:30:00",
                "2026年6月4日下午3点半",
                "2026年6月4日 15:30",
                "June 4, 2026, 3:30 pm"
            })
    void datesWithTimes(String text) {
        assertThat(NormalText.of(text)).isEqualTo(new WrittenTime(LocalDate.of(2026, 6, 4), LocalTime.of(15, 30)));
    }

    @Test
    void aDateWithoutAYearIsNoDateWithOne() {
        assertThat(NormalText.of("6月4日")).isEqualTo(new WrittenTime(MonthDay.of(6, 4), null));
        assertThat(List.of("06月04号", "June 4", "4th June", "Jun. 4"))
                .allSatisfy(text -> assertThat(NormalText.of(text)).isEqualTo(NormalText.of("6月4日")));
        assertThat(NormalText.of("9 o'clock")).isEqualTo(NormalText.of("9点"));
        assertThat(NormalText.of("6月4日")).isNotEqualTo(NormalText.of("2026年6月4日"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-02-30",
                "2026.6.4",
                "2026-13-01",
                "06/04/2026",
                "25:00",
                "上午13点",
                "2026-06-04x",
                "2026-06",
                "Foo 4, 2026",
                "Foo 4",
                "2 at night",
                "12 at night",
                "16:9",
                "3",
                "2026",
                "+86 138 0000 0000",
                "192.168.1.1",
                "v2.0",
                "a2026-06-04",
                "5 zorkmids",
                "¥5 km",
                "1,00 km"
            })
    void whatIsNoneStaysText(String text) {
        assertThat(NormalText.of(text)).isEqualTo(NormalText.folded(text)).isInstanceOf(String.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "5km | 5 公里",
                "5 KM | 5000 metres",
                "5,000米 | 5千米",
                "1 mile | 1609.344 m",
                "1kg | 2斤",
                "500g | 0.5公斤",
                "90分钟 | 1.5 hours",
                "1天 | 24小时",
                "20 minutes | 1200秒",
                "37.5℃ | 37.5 °C",
                "-5摄氏度 | -5.0 degrees celsius",
                "50% | 50 percent",
                "20块钱 | 20.00元",
                "3万元 | 30,000 RMB",
                "$5 | 5 USD",
                "300万美元 | 3 Million dollars",
                "100km/h | 100公里/小时",
                "500ml | 0.5升"
            })
    void quantities(String one, String other) {
        assertThat(NormalText.of(one)).isInstanceOf(Quantity.class).isEqualTo(NormalText.of(other));
    }

    @ParameterizedTest
    @CsvSource({"5 km, 5 kg", "5 km, 6 km", "5 元, 5 美元", "1 month, 30 days", "1 year, 12 months", "1 GB, 1024 MB"})
    void otherQuantities(String one, String other) {
        assertThat(NormalText.of(one)).isInstanceOf(Quantity.class).isNotEqualTo(NormalText.of(other));
    }

    @Test
    void longTextsAreOnlyFolded() {
        String text = "Meet at 15:30 ".repeat(5);
        assertThat(NormalText.of(text)).isEqualTo(text.strip().toLowerCase(java.util.Locale.ROOT));
        assertThat(NormalText.of("明天下午三点")).isEqualTo("明天下午三点");
    }
}
