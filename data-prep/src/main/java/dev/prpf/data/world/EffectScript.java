package dev.prpf.data.world;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.commons.jexl3.JexlArithmetic;
import org.apache.commons.jexl3.JexlBuilder;
import org.apache.commons.jexl3.JexlContext;
import org.apache.commons.jexl3.JexlEngine;
import org.apache.commons.jexl3.JexlException;
import org.apache.commons.jexl3.JexlFeatures;
import org.apache.commons.jexl3.JexlOptions;
import org.apache.commons.jexl3.JexlScript;
import org.apache.commons.jexl3.MapContext;
import org.apache.commons.jexl3.internal.Engine;
import org.apache.commons.jexl3.internal.Frame;
import org.apache.commons.jexl3.internal.Interpreter;
import org.apache.commons.jexl3.introspection.JexlPermissions;
import org.jspecify.annotations.Nullable;

/**
 * The effect of a function in Apache Commons JEXL. A script reads and changes maps and lists in place, and calls the {@link Functions}. It
 * cannot create objects of Java or change the engine's options. Lists and maps that a script writes keep their order.
 */
final class EffectScript {
    private static final int CACHED = 2_000;
    private static final int STEPS = 1_000_000;
    private static final int DEPTH = 64;
    private static final JexlEngine ENGINE = new BoundedEngine(new JexlBuilder()
            .features(new JexlFeatures().newInstance(false).pragma(false).annotation(false))
            .permissions(new WithoutPatterns())
            .arithmetic(new OrderedArithmetic())
            .cache(CACHED)
            .cacheThreshold(Integer.MAX_VALUE) // by default, JEXL caches short texts only
            .strict(true)
            .safe(false)
            .silent(false)
            .lexical(true)
            .cancellable(true)
            .stackOverflow(DEPTH));

    private final JexlScript script;

    private EffectScript(JexlScript script) {
        this.script = script;
    }

    /**
     * Compiles a script; equal texts are compiled once.
     *
     * @throws IllegalArgumentException if the text is not JEXL
     */
    static EffectScript of(String text) {
        try {
            return new EffectScript(ENGINE.createScript(text));
        } catch (JexlException e) {
            throw new IllegalArgumentException("\"" + text.strip() + "\" is not a JEXL script: " + e.getMessage());
        }
    }

    /**
     * Runs the script over variables.
     *
     * @param variables by name, such as {@code state} and the parameters
     * @return the value of the last expression
     * @throws Refusal if the script refuses the call, fails, or has more steps than a call may have
     * @throws CancellationException if the thread is interrupted
     */
    @Nullable
    Object run(Map<String, @Nullable Object> variables, Functions functions) throws Refusal {
        try {
            functions.context = new Context(variables, functions);
            return script.execute(functions.context);
        } catch (JexlException e) {
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                if (cause instanceof Refusal refusal) {
                    throw refusal;
                }
                if (cause instanceof JexlException.Cancel && functions.steps.get() <= STEPS) {
                    Thread.currentThread().interrupt(); // JEXL clears the flag
                    throw new CancellationException();
                }
            }
            if (functions.steps.get() > STEPS) {
                throw new Refusal("the script has more than " + STEPS + " steps");
            }
            throw new Refusal(String.valueOf(e.getMessage()));
        }
    }

    /** Refuses Java's methods that match patterns: a script matches with {@code =~}, which counts the steps. */
    private static final class WithoutPatterns extends JexlPermissions.Delegate {
        private static final List<String> MATCHING = List.of("matches", "replaceAll", "replaceFirst", "split");

        WithoutPatterns() {
            super(new JexlPermissions.ClassPermissions(Functions.class));
        }

        @Override
        public boolean allow(Method method) {
            Class<?> type = method.getDeclaringClass();
            return !type.getPackageName().equals("java.util.regex")
                    && !(type == String.class && MATCHING.contains(method.getName()))
                    && super.allow(method);
        }
    }

    /** Cancels a script with too many steps, or in an interrupted thread. */
    private static final class BoundedEngine extends Engine {
        BoundedEngine(JexlBuilder builder) {
            super(builder);
        }

        @Override
        protected Interpreter createInterpreter(JexlContext context, Frame frame, JexlOptions options) {
            return new Interpreter(this, options, context, frame) {
                @Override
                protected boolean isCancelled() {
                    return super.isCancelled()
                            || (context instanceof Context own && own.functions.steps.incrementAndGet() > STEPS);
                }
            };
        }
    }

    /** A call that its function refuses, with the reason for the client. */
    static final class Refusal extends Exception {
        private static final long serialVersionUID = 1L;

        Refusal(String reason) {
            super(reason);
        }
    }

    private static final class Context extends MapContext
            implements JexlContext.NamespaceResolver, JexlContext.ThreadLocal {
        private final Functions functions;

        Context(Map<String, @Nullable Object> variables, Functions functions) {
            super(new LinkedHashMap<>(variables));
            this.functions = functions;
        }

        @Override
        public @Nullable Object resolveNamespace(@Nullable String name) {
            return name == null ? functions : null;
        }
    }

    /** A text that counts each character read by a pattern as a step of the running script. */
    private record Counted(CharSequence text, AtomicInteger steps) implements CharSequence {
        @Override
        public int length() {
            return text.length();
        }

        @Override
        public char charAt(int index) {
            if (steps.incrementAndGet() > STEPS) {
                throw new ArithmeticException("the pattern needs too many steps");
            }
            return text.charAt(index);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return new Counted(text.subSequence(start, end), steps);
        }

        @Override
        public String toString() {
            return text.toString();
        }
    }

    /** Builds linked maps and lists for the literals of a script, and counts the steps of {@code =~}. */
    private static final class OrderedArithmetic extends JexlArithmetic {
        OrderedArithmetic() {
            super(true);
        }

        @Override
        public @Nullable Boolean contains(@Nullable Object container, @Nullable Object value) {
            Pattern pattern = container instanceof Pattern given
                    ? given
                    : container instanceof String text ? Pattern.compile(text) : null;
            if (pattern != null && value != null && JexlEngine.getThreadContext() instanceof Context context) {
                return pattern.matcher(new Counted(value.toString(), context.functions.steps))
                        .matches();
            }
            return super.contains(container, value);
        }

        @Override
        public MapBuilder mapBuilder(int size, boolean extended) {
            return super.mapBuilder(size, true);
        }

        @Override
        public ArrayBuilder arrayBuilder(int size, boolean extended) {
            List<Object> list = new ArrayList<>();
            return new ArrayBuilder() {
                @Override
                public void add(Object value) {
                    list.add(value);
                }

                @Override
                public Object create(boolean extendedToo) {
                    return list;
                }
            };
        }
    }

    /** The functions that a script may call in addition to JEXL's own {@code size} and {@code empty}. */
    public static final class Functions {
        private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);
        private final VirtualClock clock;
        private final AtomicInteger steps;
        private final Supplier<String> ids;
        private final Called called;
        private @Nullable JexlContext context; // of the script, whose variables its lambdas read

        /** @param steps of all scripts of the running call */
        Functions(VirtualClock clock, AtomicInteger steps, Supplier<String> ids, Called called) {
            this.clock = clock;
            this.steps = steps;
            this.ids = ids;
            this.called = called;
        }

        /** Calls a function of the same app. */
        interface Called {
            @Nullable
            Object call(String function, Map<String, @Nullable Object> args) throws Refusal;
        }

        /** Calls another function of the app and returns its result. */
        public @Nullable Object call(String function, Map<String, @Nullable Object> args) throws Refusal {
            return called.call(function, args);
        }

        /** Sets an entry of a map and returns its value. */
        public @Nullable Object put(Map<Object, @Nullable Object> map, Object key, @Nullable Object value) {
            map.put(key, value);
            return value;
        }

        /** Adds the members of a list to a list, or the entries of a map to a map, which is returned. */
        @SuppressWarnings("unchecked")
        public Object addAll(Object to, Object members) {
            if (to instanceof Map<?, ?> map) {
                ((Map<Object, Object>) map).putAll((Map<Object, Object>) members);
            } else {
                ((List<Object>) to).addAll((List<Object>) members);
            }
            return to;
        }

        /** Inserts a member into a list, which is returned. */
        public List<@Nullable Object> insert(List<@Nullable Object> list, int at, @Nullable Object member) {
            list.add(at, member);
            return list;
        }

        /** Returns the keys of a map. */
        public List<@Nullable Object> keys(Map<Object, @Nullable Object> map) {
            return new ArrayList<>(map.keySet());
        }

        /** Returns the last part of a path. */
        public String name(String path) {
            return path.substring(path.lastIndexOf('/') + 1);
        }

        /** Returns the parts of a path between slashes. */
        public List<String> parts(String path) {
            return Arrays.stream(path.split("/"))
                    .filter(part -> !part.isEmpty())
                    .toList();
        }

        /** Returns the lines of a text. */
        public List<@Nullable Object> lines(String text) {
            return new ArrayList<>(List.of(text.split("\n", -1)));
        }

        /** Joins texts with a separator. */
        public String join(List<?> texts, String separator) {
            return String.join(separator, texts.stream().map(String::valueOf).toList());
        }

        /** Returns the text of a file's content, which is Base64 in {@code b''}. */
        public String text(@Nullable Object content) throws Refusal {
            refuse(!(content instanceof String), "The content of the file is unknown");
            String base64 = String.valueOf(content).replaceAll("^b'|'$", "");
            return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
        }

        /** Removes an entry of a map, or a member of a list; returns what was removed. */
        public @Nullable Object remove(Object from, Object member) {
            if (from instanceof Map<?, ?> map) {
                return map.remove(member);
            }
            return ((List<?>) from).remove(member) ? member : null;
        }

        /** Refuses the call with a reason if the condition holds. */
        public void refuse(boolean condition, String reason) throws Refusal {
            if (condition) {
                throw new Refusal(reason);
            }
        }

        /** Returns a new identifier of 32 hexadecimal digits; equal seeds give equal identifiers. */
        public String id() {
            return ids.get();
        }

        /** Returns the time of the world in seconds since 1970. */
        public double now() {
            Instant now = clock.instant();
            return now.getEpochSecond() + now.getNano() / 1e9;
        }

        /** Returns the seconds since 1970 of a local time such as {@code 2026-03-02 08:00:00}. */
        public double seconds(String time) throws Refusal {
            try {
                return LocalDateTime.parse(time, DATE).atZone(clock.getZone()).toEpochSecond();
            } catch (DateTimeException e) {
                throw new Refusal("\"" + time + "\" is no time; write YYYY-MM-DD HH:MM:SS");
            }
        }

        /** Returns the local time of seconds since 1970, as {@link #seconds} reads it. */
        public String time(Number seconds) {
            return DATE.format(Instant.ofEpochSecond(seconds.longValue()).atZone(clock.getZone()));
        }

        /** Returns the local time with its day of the week, such as {@code Monday, 2026-03-02 08:00:00}. */
        public String weekday(Number seconds) {
            Instant time = Instant.ofEpochSecond(seconds.longValue());
            return DateTimeFormatter.ofPattern("EEEE, ", Locale.ENGLISH).format(time.atZone(clock.getZone()))
                    + time(seconds);
        }

        /** Returns the local day of seconds since 1970, such as {@code 2026-03-02}. */
        public String date(Number seconds) {
            return time(seconds).substring(0, "2026-03-02".length());
        }

        /** Returns a local time moved by a number of seconds, minutes, hours, days, weeks or months. */
        public String later(String time, int number, String unit) throws Refusal {
            ChronoUnit by = ChronoUnit.valueOf(unit.toUpperCase(Locale.ROOT) + "S");
            seconds(time); // refuses a text that is no time
            return DATE.format(LocalDateTime.parse(time, DATE).plus(number, by));
        }

        /** Returns the members for which the condition holds, in order. */
        public List<@Nullable Object> where(@Nullable Object members, JexlScript condition) {
            List<@Nullable Object> found = new ArrayList<>();
            for (Object member : values(members)) {
                if (Boolean.TRUE.equals(condition.execute(context, member))) {
                    found.add(member);
                }
            }
            return found;
        }

        /** Returns the first member for which the condition holds; null without one. */
        public @Nullable Object first(@Nullable Object members, JexlScript condition) {
            List<@Nullable Object> found = where(members, condition);
            return found.isEmpty() ? null : found.get(0);
        }

        /** Returns a value of each member. */
        public List<@Nullable Object> each(@Nullable Object members, JexlScript value) {
            List<@Nullable Object> values = new ArrayList<>();
            values(members).forEach(member -> values.add(value.execute(context, member)));
            return values;
        }

        /** Returns the members by a number or text of each, smallest first; equal ones keep their order. */
        @SuppressWarnings("unchecked")
        public List<@Nullable Object> sorted(@Nullable Object members, JexlScript key) {
            List<@Nullable Object> sorted = new ArrayList<>(values(members));
            sorted.sort((a, b) -> ((Comparable<Object>) Objects.requireNonNull(key.execute(context, a)))
                    .compareTo(Objects.requireNonNull(key.execute(context, b))));
            return sorted;
        }

        /** Returns the members in a map by a key of each. */
        public Map<@Nullable Object, @Nullable Object> by(@Nullable Object members, JexlScript key) {
            Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
            values(members).forEach(member -> map.put(key.execute(context, member), member));
            return map;
        }

        /** Returns the members, last one first. */
        public List<@Nullable Object> reversed(@Nullable Object members) {
            List<@Nullable Object> reversed = new ArrayList<>(values(members));
            Collections.reverse(reversed);
            return reversed;
        }

        /** Returns at most {@code limit} members from an offset. */
        public List<@Nullable Object> page(@Nullable Object members, int offset, int limit) {
            List<@Nullable Object> all = values(members);
            int from = Math.min(Math.max(offset, 0), all.size());
            return new ArrayList<>(all.subList(from, (int) Math.min((long) from + Math.max(limit, 0), all.size())));
        }

        /** Returns whether a text contains a query, ignoring case, or a list a member; a missing text contains nothing. */
        public boolean has(@Nullable Object text, String query) {
            if (text instanceof Collection<?> members) {
                return members.contains(query);
            }
            return text != null && text.toString().toLowerCase(Locale.ROOT).contains(query.toLowerCase(Locale.ROOT));
        }

        /** Returns a copy that later changes of the state do not reach. */
        public @Nullable Object copy(@Nullable Object value) {
            return JsonValues.copy(value);
        }

        /** Returns a copy of a map with the entries of another, which may replace its own. */
        public Map<Object, @Nullable Object> with(
                Map<Object, @Nullable Object> map, Map<Object, @Nullable Object> entries) {
            Map<Object, @Nullable Object> joined = new LinkedHashMap<>(map);
            joined.putAll(entries);
            return joined;
        }

        /** Returns the entries of a map without those of null. */
        public Map<Object, @Nullable Object> given(Map<Object, @Nullable Object> map) {
            Map<Object, @Nullable Object> given = new LinkedHashMap<>(map);
            given.values().removeIf(Objects::isNull);
            return given;
        }

        /** Returns the values of a map, or the members of a list. */
        public List<@Nullable Object> values(@Nullable Object members) {
            if (members instanceof Map<?, ?> map) {
                return new ArrayList<>(map.values());
            }
            return members instanceof Collection<?> collection ? new ArrayList<>(collection) : List.of();
        }
    }
}
