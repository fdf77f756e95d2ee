package dev.prpf.par.serve.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.serve.policy.UserRules.PhraseMatcher;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PhraseMatcherTest {
    private static final PhraseMatcher APPS =
            new PhraseMatcher(List.of("微信", "WeChat", "Google Pay", "12306", "c++ (beta)", "카카오톡"));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            打开微信看朋友圈            | true
            微 信                       | true
            opened WECHAT               | true
            用wechat聊天                | true
            ＷｅＣｈａｔ                | true
            We\u200bChat                | true
            wechatty                    | false
            wechat8                     | true
            paid by google   pay.       | true
            googlepay                   | true
            在12306买票                 | true
            C++ (Beta) started          | true
            카카오톡을 열었다           | true
            信号微弱                    | false
            """)
    void aNameIsFoundAsAWordWhateverItsLetters(String text, boolean found) {
        assertThat(APPS.in(text)).isEqualTo(found);
    }

    @Test
    void spacesWithinANameAndCaseOfAnyAlphabetDoNotMatter() {
        PhraseMatcher apps = new PhraseMatcher(List.of("WeChat", "微信", "Straße", "Google Maps"));
        assertThat(List.of("Uses We Chat", "微 信", "微\n信", "GoogleMaps", "STRASSE", "STRAẞE"))
                .allMatch(apps::in);
        assertThat(List.of("we chatted", "the google map shop")).noneMatch(apps::in);
    }

    @Test
    void sentencesThatNameOneAreRemovedAndOthersStay() {
        assertThat(APPS.removedFrom("电量80%。前台应用为微信！信号1格。")).isEqualTo("电量80%。信号1格。");
        assertThat(APPS.removedFrom("Battery 80.5 %. WeChat is open. Two apps run."))
                .isEqualTo("Battery 80.5 %. Two apps run.");
        assertThat(APPS.removedFrom("一行\n微信\n三行")).isEqualTo("一行\n三行");
        assertThat(APPS.removedFrom("没有别的")).isEqualTo("没有别的");
        assertThat(APPS.removedFrom("微信")).isEmpty();
        assertThat(APPS.removedFrom("see google\npay now")).as("across a line").isEmpty();
    }

    @Test
    void noPhrasesFindNothing() {
        PhraseMatcher none = new PhraseMatcher(List.of());
        assertThat(none.in("")).isFalse();
        assertThat(none.in("微信")).isFalse();
        assertThat(none.removedFrom("微信。")).isEqualTo("微信。");
    }
}
