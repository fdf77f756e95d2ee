package dev.prpf.par.huggingface;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.par.generate.SamplingParams.Sampling;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class GenerationDefaultsTest {
    private static GenerationDefaults read(String json) {
        try {
            return GenerationDefaults.read(
                    "m/generation_config.json", new ObjectMapper().readTree(json.replace('\'', '"')), List.of(9));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Test
    void missingValuesHaveTransformersDefaults() {
        GenerationDefaults defaults = read("{}");
        assertThat(defaults.sampled()).isFalse();
        assertThat(defaults.sampling()).isEqualTo(new Sampling(1, 50, 1, 0));
        assertThat(defaults.repetitionPenalty()).isEqualTo(1);
        assertThat(defaults.endTokens()).as("the model's own").containsExactly(9);
        assertThat(defaults.stopTexts()).isEmpty();
    }

    /** The file of Qwen2.5-Instruct. */
    @Test
    void whatIsThereIsRead() {
        GenerationDefaults defaults =
                read("{'bos_token_id':151643,'pad_token_id':151643,'do_sample':true,'eos_token_id':"
                        + "[151645,151643],'repetition_penalty':1.1,'temperature':0.7,'top_p':0.8,'top_k':20,'min_p':0.05,"
                        + "'transformers_version':'4.37.0','stop_strings':'END'}");
        assertThat(defaults.sampled()).isTrue();
        assertThat(defaults.sampling()).isEqualTo(new Sampling(0.7, 20, 0.8, 0.05));
        assertThat(defaults.repetitionPenalty()).isEqualTo(1.1);
        assertThat(defaults.endTokens()).containsExactly(151645, 151643);
        assertThat(defaults.stopTexts()).containsExactly("END");
    }

    /** Other programs write these values with {@code do_sample: false}, where they have no effect. */
    @Test
    void valuesOfNoUseForGreedyAreNoMatter() {
        GenerationDefaults defaults = read("{'do_sample':false,'temperature':0.0,'top_k':-1,'top_p':0}");
        assertThat(defaults.sampled()).isFalse();
        assertThat(defaults.sampling()).as("what --temperature begins with").isEqualTo(new Sampling(1, 0, 1, 0));
    }

    @Test
    void negativeEndTokensStandForNone() {
        assertThat(read("{'eos_token_id':[-1,4]}").endTokens()).containsExactly(4);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'num_beams':4}|num_beams = 4",
                "{'typical_p':0.9}|typical_p = 0.9",
                "{'no_repeat_ngram_size':3}|no_repeat_ngram_size = 3",
                "{'penalty_alpha':0.6}|penalty_alpha = 0.6",
                "{'min_new_tokens':5}|min_new_tokens = 5",
                "{'suppress_tokens':[1,2]}|suppress_tokens = [1,2]",
                "{'bad_words_ids':[[3]]}|bad_words_ids = [[3]]",
                "{'forced_eos_token_id':2}|forced_eos_token_id = 2",
                "{'temperature':'hot'}|temperature = \"hot\": must be a number",
                "{'top_k':1.5}|top_k = 1.5: must be a whole number",
                "{'do_sample':1}|do_sample = 1: must be true or false",
                "{'do_sample':true,'top_p':0}|top_p = 0.0 must be in (0, 1]",
                "{'do_sample':true,'temperature':0.0}|temperature = 0.0 must be > 0",
                "{'do_sample':true,'top_k':-1}|top_k = -1 must be >= 0",
                "{'repetition_penalty':0}|repetition_penalty = 0.0 must be >= 0.01",
                "{'repetition_penalty':0.009}|repetition_penalty = 0.009 must be >= 0.01",
                "{'eos_token_id':'</s>'}|eos_token_id = \"</s>\": must be a token id or a list of ids",
                "{'eos_token_id':['</s>']}|eos_token_id = [\"</s>\"]: must be a token id",
                "{'eos_token_id':[[2]]}|eos_token_id = [[2]]: must be a token id",
                "{'eos_token_id':2.0}|eos_token_id = 2.0: must be a token id",
                "{'min_p':2}|min_p = 2.0 must be in [0, 1]",
                "{'stop_strings':['a','']}|stop_strings",
            })
    void unsupportedKeysThatChangeTheTextAreRejected(String json, String message) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOf(PrpfException.class)
                .hasMessageStartingWith("m/generation_config.json: ")
                .hasMessageContaining(message)
                .extracting(e -> ExitCode.of(e))
                .isEqualTo(ExitCode.BAD_DATA);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'num_beams':1,'typical_p':1.0,'no_repeat_ngram_size':0,'guidance_scale':null}",
                "{'suppress_tokens':[],'forced_eos_token_id':null,'token_healing':false}",
                "{'max_length':4096,'use_cache':true,'a_key_of_tomorrow':7}",
            })
    void whatChangesNothingIsTaken(String json) {
        assertThat(read(json)).isEqualTo(read("{}"));
    }

    @Test
    void unknownKeysAreNamed() {
        Logger logger = (Logger) LoggerFactory.getLogger(GenerationDefaults.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        try {
            read("{'top_q': 3, 'top_p': 0.5, 'max_length': 20}");
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("m/generation_config.json: top_q is unknown and is ignored");
    }
}
