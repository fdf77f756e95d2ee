package dev.prpf.par.pipeline;

import dev.prpf.base.error.Closing;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.RunInterruptedException;
import dev.prpf.data.Language;
import dev.prpf.par.cascade.RemoteReasoner.RemoteSettings.StructuredOutput;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatModel;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import dev.prpf.par.openai.ChatRequest;
import dev.prpf.par.openai.ChatRequest.ChatPart;
import dev.prpf.par.openai.ChatRequest.SamplingSettings;
import dev.prpf.par.openai.ChatRequest.Turn;
import dev.prpf.par.openai.RemoteUsage;
import dev.prpf.par.openai.RemoteUsage.TokenPrice;
import dev.prpf.par.pipeline.DataGenerateCommand.Budget;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Asks models the questions of steps, within a budget. An invalid answer is sent back with its error; an item without a valid answer is
 * dropped with the reason.
 */
final class Pipeline implements AutoCloseable {
    private static final int CHUNK_SIZE = 64;
    private static final int PRICED_CHUNK_SIZE = 8; // so that a budget in money is exceeded by few answers

    private final Collection<Model> models;
    private final Language language;
    private final int retries;
    private final Budget budget;
    private final Map<String, StepCount> counts = new LinkedHashMap<>();
    private final List<Dropped> dropped = new ArrayList<>();
    private final Map<String, String> faults = new HashMap<>();

    Pipeline(Collection<Model> models, Language language, int retries, Budget budget) {
        this.models = List.copyOf(models);
        this.language = language;
        this.retries = retries;
        this.budget = budget;
        for (Model model : models) {
            if (budget.cost() != null && model.price() == null) {
                throw new InvalidConfigurationException("budget.cost needs the price of each model; "
                        + model.chat().model() + " has none: set price in its file, or budget.cost: null");
            }
        }
    }

    /**
     * A model with its journal.
     *
     * @param form the form of answers that its server enforces
     */
    record Model(
            ChatModel chat,
            AnswerJournal journal,
            SamplingSettings sampling,
            StructuredOutput form,
            @Nullable TokenPrice price) {
        RemoteUsage usage() {
            return journal.usage(price);
        }
    }

    /** A thing that steps ask about. */
    interface Item {
        String id();

        /** Returns the values of prompts' places. */
        Map<String, String> values();

        default List<ChatPart> images() {
            return List.of();
        }
    }

    /** An item without a valid answer. */
    record Dropped(String item, String step, String reason) {}

    /**
     * The counts of a step.
     *
     * @param answers number of requests with an outcome, repetitions included
     * @param cost of the answers, or null without prices or token counts
     */
    record StepCount(int asked, int passed, int answers, @Nullable Double cost) {
        private StepCount plus(StepCount more) {
            return new StepCount(
                    asked + more.asked,
                    passed + more.passed,
                    answers + more.answers,
                    cost == null || more.cost == null ? null : cost + more.cost);
        }
    }

    /** The conversation about one item. */
    private static final class Talk<T extends Item> {
        final T item;
        final Model model;
        final List<Turn> turns = new ArrayList<>();
        boolean ended;
        boolean passed;
        String fault = "";
        int answers;

        @Nullable
        Double cost = 0.0;

        Talk(T item, Model model, List<Turn> prompt) {
            this.item = item;
            this.model = model;
            turns.addAll(prompt);
        }

        void count(ChatOutcome outcome) {
            answers++;
            if (outcome instanceof ChatOutcome.Answer answer) {
                TokenPrice price = model.price();
                Integer prompt = answer.promptTokens();
                Integer completion = answer.completionTokens();
                boolean known = price != null && prompt != null && completion != null && cost != null;
                cost = known
                        ? Objects.requireNonNull(cost)
                                + Objects.requireNonNull(price)
                                        .of(Objects.requireNonNull(prompt), Objects.requireNonNull(completion))
                        : null;
            }
        }

        StepCount counted() {
            return new StepCount(1, passed ? 1 : 0, answers, cost);
        }
    }

    /**
     * Asks one question about each item, and drops those without a valid answer.
     *
     * @param use checks and takes an answer; an {@link InvalidDataException} is sent back to the model
     * @return the items with a valid answer, in order
     */
    <T extends Item, A extends Record> List<T> ask(
            ModelStep<A> step, List<T> items, Function<T, Model> model, BiConsumer<T, A> use) {
        attempt(step, items, model, use);
        return keep(step.name(), items, this::fault);
    }

    /** Asks as {@link #ask}, but drops nothing. */
    <T extends Item, A extends Record> List<T> attempt(
            ModelStep<A> step, List<T> items, Function<T, Model> model, BiConsumer<T, A> use) {
        List<Talk<T>> talks = items.stream()
                .map(item -> new Talk<>(item, model.apply(item), prompt(step, item)))
                .toList();
        for (int attempt = 0; attempt <= retries; attempt++) {
            Map<Model, List<Talk<T>>> open = new LinkedHashMap<>();
            talks.stream().filter(talk -> !talk.ended).forEach(talk -> open.computeIfAbsent(
                            talk.model, first -> new ArrayList<>())
                    .add(talk));
            open.forEach((asked, some) -> send(step, asked, some, use));
        }
        for (Talk<T> talk : talks) {
            counts.merge(step.name(), talk.counted(), StepCount::plus);
            faults.compute(talk.item.id(), (id, earlier) -> talk.passed ? null : talk.fault);
        }
        return talks.stream().filter(talk -> talk.passed).map(talk -> talk.item).toList();
    }

    private <T extends Item> List<Turn> prompt(ModelStep<?> step, T item) {
        List<ChatPart> parts = Stream.concat(
                        Stream.of(new ChatPart.Text(step.prompt(language, item.id(), item.values()))),
                        item.images().stream())
                .toList();
        return Turn.prompt(null, parts);
    }

    private <T extends Item, A extends Record> void send(
            ModelStep<A> step, Model model, List<Talk<T>> talks, BiConsumer<T, A> use) {
        int from = 0;
        while (from < talks.size()) {
            List<ChatRequest> requests = affordable(step, model, talks.subList(from, talks.size()));
            List<ChatOutcome> outcomes = model.journal().ask(model.chat(), requests, () -> {});
            for (ChatOutcome outcome : outcomes) {
                take(step, talks.get(from++), outcome, use);
            }
        }
    }

    /** Returns requests of the first talks, as many as the budget allows. */
    private <T extends Item> List<ChatRequest> affordable(ModelStep<?> step, Model model, List<Talk<T>> talks) {
        List<ChatRequest> requests = new ArrayList<>();
        int chunk = budget.cost() == null ? CHUNK_SIZE : PRICED_CHUNK_SIZE;
        int free = Math.min(chunk, left());
        for (Talk<T> talk : talks.subList(0, Math.min(CHUNK_SIZE, talks.size()))) {
            String id = talk.item.id();
            ChatRequest request = new ChatRequest(
                    id + "#" + step.name(), talk.turns, model.sampling(), step.format(model.form(), id));
            free -= model.journal().has(model.chat(), request) ? 0 : 1;
            if (free < 0) {
                break;
            }
            requests.add(request);
        }
        if (requests.isEmpty()) {
            throw new RunInterruptedException("the budget is used up at step " + step.name() + ": " + used()
                    + "; the answers are kept: raise budget and run the same command again");
        }
        return requests;
    }

    private int left() {
        List<RemoteUsage> usages = models.stream().map(Model::usage).toList();
        int answers = usages.stream().mapToInt(Pipeline::outcomes).sum();
        if (budget.cost() == null) {
            return budget.answers() - answers;
        }
        double cost = 0;
        for (RemoteUsage usage : usages) {
            if (usage.cost() == null) {
                throw new InvalidConfigurationException("budget.cost = " + budget.cost()
                        + ": a server does not report token counts; set budget.cost: null and use budget.answers");
            }
            cost += usage.cost();
        }
        return cost >= budget.cost() ? 0 : budget.answers() - answers;
    }

    private static int outcomes(RemoteUsage usage) {
        return usage.answers() + usage.tooLong() + usage.refused();
    }

    /** Returns the used part of the budget, for messages. */
    String used() {
        RemoteUsage all = usage();
        return outcomes(all) + " of " + budget.answers() + " answers"
                + (budget.cost() == null ? "" : ", cost " + all.cost() + " of " + budget.cost());
    }

    /** Returns the usage of all models, over all parts of the run. */
    RemoteUsage usage() {
        return Objects.requireNonNull(
                RemoteUsage.sum(models.stream().map(Model::usage).toList()));
    }

    private <T extends Item, A extends Record> void take(
            ModelStep<A> step, Talk<T> talk, ChatOutcome outcome, BiConsumer<T, A> use) {
        talk.count(outcome);
        if (outcome instanceof ChatOutcome.NoAnswer none) {
            talk.ended = true;
            talk.fault = none.reason();
            return;
        }
        ChatOutcome.Answer answer = (ChatOutcome.Answer) outcome;
        try {
            if (answer.isCut()) {
                throw new InvalidDataException("the answer was cut at max-tokens; write a shorter one");
            }
            use.accept(talk.item, step.read(language, talk.item.id(), answer.text()));
            talk.passed = true;
            talk.ended = true;
        } catch (InvalidDataException e) {
            talk.fault = Objects.requireNonNull(e.getMessage());
            talk.turns.add(new Turn("assistant", answer.text().isBlank() ? "-" : answer.text()));
            talk.turns.add(new Turn(
                    "user",
                    language.of("错误：", "Error: ")
                            + talk.fault
                            + language.of("。请重新输出完整的 JSON。", ". Write the whole JSON object again.")));
        }
    }

    /** Returns why the last question about an item has no valid answer, or null if it has one. */
    @Nullable
    String fault(Item item) {
        return faults.get(item.id());
    }

    /** Drops the items that have a reason for it, and returns the others, in order. */
    <T extends Item> List<T> keep(String step, List<T> items, Function<T, @Nullable String> reason) {
        List<T> kept = new ArrayList<>();
        for (T item : items) {
            String fault = reason.apply(item);
            if (fault == null) {
                kept.add(item);
            } else {
                drop(item, step, fault);
            }
        }
        return kept;
    }

    /** Notes that an item is dropped. */
    void drop(Item item, String step, String reason) {
        dropped.add(new Dropped(item.id(), step, reason));
    }

    List<Dropped> dropped() {
        return List.copyOf(dropped);
    }

    Map<String, StepCount> counts() {
        return Collections.unmodifiableMap(counts);
    }

    @Override
    public void close() {
        List<Runnable> closing = new ArrayList<>();
        models.forEach(model -> {
            closing.add(model.chat()::close);
            closing.add(model.journal()::close);
        });
        Closing.all(closing);
    }
}
