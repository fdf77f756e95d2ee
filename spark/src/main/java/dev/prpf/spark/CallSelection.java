package dev.prpf.spark;

import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.par.sets.CallSet;
import dev.prpf.par.sets.CallSetSettings;
import dev.prpf.par.sets.DefinedFunctions;
import dev.prpf.par.sets.HeldOut;
import dev.prpf.spark.CallFacts.Fact;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import scala.Tuple2;

/**
 * Decides what depends on all function-calling records: duplicate ids, contradicting functions and the held-out share. Tasks group records by
 * name, request and id. The driver receives only the records with contradicting functions and pairs of indexes.
 *
 * @param facts sorted by record index
 */
record CallSelection(JavaSparkContext context, JavaRDD<Fact> facts) {
    /** The first definition of a function name, and whether another definition differs. */
    private record Definition(FunctionSpec function, long record, int position, boolean contested)
            implements Serializable, Comparable<Definition> {
        Definition with(Definition other) {
            Definition first = compareTo(other) <= 0 ? this : other;
            boolean differ = contested || other.contested || !function.equals(other.function);
            return new Definition(first.function, first.record, first.position, differ);
        }

        @Override
        public int compareTo(Definition other) {
            int byRecord = Long.compare(record, other.record);
            return byRecord != 0 ? byRecord : Integer.compare(position, other.position);
        }
    }

    private record Contradicting(long index, List<FunctionSpec> functions) implements Serializable {}

    /** @throws dev.prpf.base.error.PrpfException 65, naming the first, for an id of two records */
    void requireApart() {
        JavaPairRDD<String, Tuple2<Long, Long>> places = facts.mapToPair(
                        fact -> new Tuple2<>(fact.id(), new Tuple2<>(fact.line().index(), Long.MAX_VALUE)))
                .reduceByKey(CallSelection::firstTwo);
        Problem.requireNone(places.filter(id -> id._2()._2() != Long.MAX_VALUE)
                .map(id -> new Problem(
                        0, id._2()._2(), String.valueOf(CallSet.twice(id._1()).getMessage()))));
    }

    private static Tuple2<Long, Long> firstTwo(Tuple2<Long, Long> a, Tuple2<Long, Long> b) {
        long first = Math.min(a._1(), b._1());
        long second = Math.min(Math.max(a._1(), b._1()), Math.min(a._2(), b._2()));
        return new Tuple2<>(first, second);
    }

    /** Returns the fitting records that contradict no earlier taken record, each with its index among the taken. */
    JavaPairRDD<Fact, Long> taken() {
        JavaRDD<Fact> fitting = facts.filter(Fact::fits);
        Broadcast<Set<Long>> refused = context.broadcast(refused(fitting));
        return fitting.filter(fact -> !refused.value().contains(fact.line().index()))
                .zipWithIndex();
    }

    private Set<Long> refused(JavaRDD<Fact> fitting) {
        Set<String> names = new HashSet<>(definitions(fitting)
                .filter(name -> name._2().contested())
                .keys()
                .collect());
        if (names.isEmpty()) {
            return Set.of();
        }
        Broadcast<Set<String>> contested = context.broadcast(names);
        Iterator<Contradicting> some = fitting.map(fact -> new Contradicting(
                        fact.line().index(),
                        fact.functions().stream()
                                .filter(function -> contested.value().contains(function.name()))
                                .toList()))
                .filter(fact -> !fact.functions().isEmpty())
                .toLocalIterator();
        DefinedFunctions defined = new DefinedFunctions();
        Set<Long> refused = new HashSet<>();
        while (some.hasNext()) {
            Contradicting next = some.next();
            if (!defined.take(next.functions())) {
                refused.add(next.index());
            }
        }
        return refused;
    }

    private static JavaPairRDD<String, Definition> definitions(JavaRDD<Fact> some) {
        return some.flatMapToPair(fact -> {
                    List<Tuple2<String, Definition>> all = new ArrayList<>();
                    for (FunctionSpec function : fact.functions()) {
                        long record = fact.line().index();
                        all.add(new Tuple2<>(function.name(), new Definition(function, record, all.size(), false)));
                    }
                    return all.iterator();
                })
                .reduceByKey(Definition::with);
    }

    /** Returns the functions of these records in the order of their first use. */
    static FunctionPool pool(JavaPairRDD<Fact, Long> taken) {
        List<Definition> functions =
                new ArrayList<>(definitions(taken.keys()).values().collect());
        Collections.sort(functions);
        return new FunctionPool(functions.stream().map(Definition::function).toList());
    }

    /** Returns the indexes, among the taken records, of those held out. */
    static BitSet heldOut(JavaPairRDD<Fact, Long> taken, CallSetSettings settings) {
        HeldOut groups = new HeldOut(Math.toIntExact(taken.count()));
        Iterator<Tuple2<Long, Long>> pairs = taken.flatMapToPair(fact -> fact._1().marks().stream()
                        .map(mark -> new Tuple2<>(mark, fact._2()))
                        .iterator())
                .groupByKey()
                .flatMap(CallSelection::pairs)
                .toLocalIterator();
        pairs.forEachRemaining(
                pair -> groups.join(pair._1().intValue(), pair._2().intValue()));
        return groups.draw(settings.testShare(), settings.seed());
    }

    private static Iterator<Tuple2<Long, Long>> pairs(Tuple2<String, Iterable<Long>> together) {
        List<Tuple2<Long, Long>> pairs = new ArrayList<>();
        long first = together._2().iterator().next();
        together._2().forEach(other -> {
            if (other != first) {
                pairs.add(new Tuple2<>(first, other));
            }
        });
        return pairs.iterator();
    }
}
