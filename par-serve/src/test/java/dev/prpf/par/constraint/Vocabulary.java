package dev.prpf.par.constraint;

import dev.prpf.data.FunctionPool;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.par.chat.ChatTemplates.ChatMl;
import dev.prpf.par.constraint.ModelConstraints.ResponseConstraints;
import dev.prpf.par.response.RandomResponses;
import dev.prpf.par.response.ResponseGrammar;
import dev.prpf.par.response.ResponseWriter;
import dev.prpf.par.tokenizer.BpeTraining;
import dev.prpf.par.tokenizer.BpeTraining.BpeVocabulary;
import dev.prpf.par.tokenizer.Tokenizer;
import dev.prpf.par.tokenizer.TokenizerFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A small trained vocabulary with merges across brackets and quotes, with or without the tags as tokens. */
final class Vocabulary implements AutoCloseable {
    static final FunctionPool POOL = FunctionPoolFile.shipped();

    final Tokenizer tokenizer;
    final int width;
    final int end;
    final ResponseConstraints constraints;

    Vocabulary(Path directory, boolean tags, ConstraintSettings settings) {
        List<BpeVocabulary.ControlToken> control = new ArrayList<>();
        control.add(new BpeVocabulary.ControlToken(ChatMl.END, true));
        control.add(new BpeVocabulary.ControlToken("<think>", false));
        if (tags) {
            ResponseGrammar.tags().forEach(tag -> control.add(new BpeVocabulary.ControlToken(tag, false)));
        }
        BpeTraining training =
                new BpeTraining(new BpeTraining.Settings(1200, 2, 6), List.of("order_food", "备注"), control);
        RandomResponses random = new RandomResponses(5);
        for (int i = 0; i < 200; i++) {
            training.add(ResponseWriter.write(random.next()));
        }
        POOL.functions()
                .forEach(function -> training.add("[{\"name\":\"" + function.name() + "\",\"parameters\":{\""
                        + function.description() + "\":true},{}}]}]"));
        BpeVocabulary vocabulary = training.train();
        TokenizerFiles.write(directory, vocabulary, ChatMl.TEMPLATE, ChatMl.END, ChatMl.END, 512);
        tokenizer = Tokenizer.load(directory);
        width = vocabulary.size() + 37;
        end = Math.toIntExact(tokenizer.controlToken(ChatMl.END));
        constraints = ResponseConstraints.of(tokenizer, ResponseGrammar.tags(), width, List.of(end), settings);
    }

    /** Text of a response, its end token cut off. */
    String text(List<Long> ids) {
        return tokenizer.decode(
                ids.stream().mapToLong(Long::longValue).filter(id -> id != end).toArray());
    }

    @Override
    public void close() {
        tokenizer.close();
    }
}
