package dev.prpf.mpp.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class TfIdfTest {
    @Test
    void wordsAndTheirPairsDigitsFolded() {
        assertThat(TextAnalyzer.WORDS.terms("Open file_2 now!"))
                .containsExactly("open", "file_", "<num>", "now", "open file_", "file_ <num>", "<num> now");
    }

    @Test
    void chineseIsCutIntoCharactersAndLatinNamesStayWhole() {
        assertThat(TextAnalyzer.CHARACTERS.terms("打开WeChat，12点"))
                .containsExactly("打", "开", "wechat", "<num>", "点", "打 开", "开 wechat", "wechat <num>", "<num> 点");
    }

    @Test
    void weighsAsScikitLearnDoes() {
        List<String> texts = List.of("Open file 12 open", "open the file", "close 7 file");
        TfIdfGate.Vectorizer vectorizer = TfIdfGate.Vectorizer.fit(texts, TextAnalyzer.WORDS);

        SparseVector first = vectorizer.transform(texts.get(0));

        assertThat(vectorizer.columns()).hasSize(3); // <num>, file, open
        assertThat(first.indices()).containsExactly(0, 1, 2);
        assertThat(first.values()).containsExactly(new double[] {0.47299233, 0.36732074, 0.80084563}, within(1e-8));
        assertThat(vectorizer.transform("nothing known").indices()).isEmpty();
    }

    @Test
    void theGateLearnsChineseAndEnglish() {
        List<String> texts = List.of("打开地图", "查询天气", "打开音乐", "查询航班");
        boolean[] labels = {false, true, false, true};
        TfIdfGate gate = TfIdfGate.fit(texts, labels, TextAnalyzer.CHARACTERS);
        NaiveBayes bayes = NaiveBayes.fit(texts, labels, TextAnalyzer.CHARACTERS, 1);

        assertThat(gate.predictProbability("查询股票")).isGreaterThan(0.6);
        assertThat(gate.predictProbability("打开股票")).isLessThan(0.4);
        assertThat(bayes.predictProbability("查询股票")).isGreaterThan(0.6);
        assertThat(bayes.predictProbability("打开股票")).isLessThan(0.4);
    }

    @Test
    void theSameTextsGiveTheSameProbabilityBitForBit() {
        List<String> texts = List.of("search a", "type b", "search c d", "type d", "search b");
        boolean[] labels = {true, false, true, false, true};

        assertThat(TfIdfGate.fit(texts, labels, TextAnalyzer.WORDS).predictProbability("search d"))
                .isEqualTo(TfIdfGate.fit(texts, labels, TextAnalyzer.WORDS).predictProbability("search d"));
    }
}
