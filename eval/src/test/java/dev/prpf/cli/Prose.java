package dev.prpf.cli;

import com.github.javaparser.JavaParser;
import com.github.javaparser.ParserConfiguration;
import com.github.javaparser.ast.CompilationUnit;
import com.github.javaparser.ast.Node;
import com.github.javaparser.ast.body.BodyDeclaration;
import com.github.javaparser.ast.comments.Comment;
import com.github.javaparser.ast.comments.JavadocComment;
import com.github.javaparser.ast.comments.LineComment;
import com.github.javaparser.ast.expr.AnnotationExpr;
import com.github.javaparser.ast.expr.BinaryExpr;
import com.github.javaparser.ast.expr.Expression;
import com.github.javaparser.ast.expr.LiteralStringValueExpr;
import com.github.javaparser.ast.expr.MemberValuePair;
import com.github.javaparser.ast.expr.MethodCallExpr;
import com.github.javaparser.ast.expr.ObjectCreationExpr;
import com.github.javaparser.ast.expr.StringLiteralExpr;
import com.github.javaparser.ast.expr.TextBlockLiteralExpr;
import com.github.javaparser.ast.stmt.ThrowStmt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds sentences in Java files and pages that break the project's rules for plain English. */
final class Prose {
    private static final int MOST_WORDS = 25;
    private static final int FEWEST_WORDS = 4;
    /** Words that a summary must not begin with: they point to a subject that the reader does not see. */
    private static final Pattern BEGINNING = Pattern.compile(
            "(what|whatever|who|whoever|whose|of|as|those|these|behind|the same)\\b.*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private static final Pattern BANNED = Pattern.compile(
            "\\b(behind|beside|besides|anew|stands?|stood|(?:is|are|was|were|be|been|being) (?:none|told|said|asked)|so many|spoilt|goes on|go on|went on|alone"
                    + "|comes? to|came to|looks? at|looked at|as (?:it|they) (?:is|are|was|were|stands?))\\b",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern PERSONS = Pattern.compile("\\b(who|whose|nobody)\\b", Pattern.CASE_INSENSITIVE);
    private static final Set<String> DESCRIBING = Set.of("description", "header", "footer", "exitCodeList");
    private static final Set<String> LOGGING = Set.of("trace", "debug", "info", "warn", "error");

    private final List<String> offences = new ArrayList<>();

    /** Returns the offences found so far, as {@code file:line: rule: text}. */
    List<String> offences() {
        return offences;
    }

    /** Reads all Java files under a folder. */
    void java(Path root) throws IOException {
        ParserConfiguration settings = new ParserConfiguration()
                .setLanguageLevel(ParserConfiguration.LanguageLevel.JAVA_17)
                .setDoNotAssignCommentsPrecedingEmptyLines(false);
        JavaParser parser = new JavaParser(settings);
        for (Path file : files(root, ".java")) {
            CompilationUnit unit = parser.parse(file).getResult().orElseThrow();
            comments(file, unit);
            unit.findAll(Expression.class).forEach(expression -> message(file, expression));
        }
    }

    /** Reads all Markdown pages under a folder: only their banned words, outside of code. */
    void pages(Path root) throws IOException {
        for (Path file : files(root, ".md")) {
            String text = Pattern.compile("```.*?```", Pattern.DOTALL)
                    .matcher(Files.readString(file))
                    .replaceAll(match -> match.group().replaceAll("[^\\n]", ""));
            String[] lines = text.split("\n", -1);
            for (int i = 0; i < lines.length; i++) {
                String line = lines[i].replaceAll("`[^`]*`", "CODE").replaceAll("\\]\\([^)]*\\)", "]");
                banned(file, i + 1, line);
            }
        }
    }

    private static List<Path> files(Path root, String suffix) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
        }
    }

    private void comments(Path file, CompilationUnit unit) {
        List<Comment> comments = new ArrayList<>(unit.getAllComments());
        comments.sort(Comparator.comparing(comment -> comment.getBegin().orElseThrow()));
        StringBuilder lines = new StringBuilder();
        int first = 0;
        int last = -1;
        for (Comment comment : comments) {
            int line = comment.getBegin().orElseThrow().line;
            if (comment instanceof JavadocComment) {
                javadoc(file, line, comment.getContent());
            } else if (comment instanceof LineComment && line == last + 1) {
                lines.append(' ').append(comment.getContent().strip());
                last = line;
            } else {
                banned(file, first, lines.toString());
                lines.setLength(0);
                lines.append(comment.getContent());
                first = line;
                last = line;
            }
        }
        banned(file, first, lines.toString());
    }

    private void javadoc(Path file, int line, String content) {
        String text = content.replaceAll("(?m)^\\s*\\* ?", "");
        text = Pattern.compile("<pre>.*?</pre>", Pattern.DOTALL).matcher(text).replaceAll("\n\n");
        text = text.replaceAll("\\{@(?:code|literal|value) [^{}]*(?:\\{[^{}]*\\}[^{}]*)*\\}", "CODE")
                .replaceAll("\\{@link(?:plain)? [^\\s}]+\\s+([^}]+)\\}", "$1")
                .replaceAll("\\{@[a-zA-Z]+ ?[^}]*\\}", "CODE");
        String summary = text.split("(?m)^\\s*@\\w+", 2)[0].strip();
        if (!summary.isEmpty()) {
            String sentence = sentences(summary.replaceAll("<[^>]+>", "\n\n")).get(0);
            if (words(sentence) < FEWEST_WORDS) {
                add(file, line, "summary of fewer than 4 words", sentence);
            }
            if (BEGINNING.matcher(sentence.strip()).matches()) {
                add(file, line, "summary begins without a noun or verb of its own", sentence);
            }
        }
        String plain =
                text.replaceAll("<[^>]+>", "\n\n").replaceAll("(?m)^\\s*@(param|throws)\\s+\\S+|^\\s*@\\w+", "\n\n");
        for (String sentence : sentences(plain)) {
            length(file, line, sentence, sentence);
            matches(file, line, PERSONS, "who, whose or nobody", sentence);
            banned(file, line, sentence);
        }
    }

    private void message(Path file, Expression expression) {
        if (expression instanceof StringLiteralExpr
                || expression instanceof TextBlockLiteralExpr
                || expression instanceof BinaryExpr) {
            Node parent = expression.getParentNode().orElse(null);
            if (parent instanceof BinaryExpr sum && sum.getOperator() == BinaryExpr.Operator.PLUS) {
                return; // read as part of the sum
            }
            String text = text(expression);
            if (text.isBlank() || !isRead(expression)) {
                return;
            }
            int line = expression.getBegin().orElseThrow().line;
            for (String sentence : sentences(text.replace(";", ";\n\n").replaceAll("\\n", "\n\n"))) {
                length(file, line, sentence, sentence);
                banned(file, line, sentence);
            }
        }
    }

    private static String text(Expression expression) {
        if (expression instanceof LiteralStringValueExpr literal
                && (expression instanceof StringLiteralExpr || expression instanceof TextBlockLiteralExpr)) {
            return literal.getValue().replace("\\n", "\n").replace("\\\"", "\"");
        }
        if (expression instanceof BinaryExpr sum && sum.getOperator() == BinaryExpr.Operator.PLUS) {
            return text(sum.getLeft()) + text(sum.getRight());
        }
        return expression instanceof BinaryExpr ? "" : "VALUE";
    }

    /** Returns whether people read the text: an option's description, an entry of the log, or an error. */
    private static boolean isRead(Expression expression) {
        Node node = expression;
        while (node.getParentNode().isPresent()) {
            Node parent = node.getParentNode().get();
            if (parent instanceof MemberValuePair pair) {
                return DESCRIBING.contains(pair.getNameAsString());
            }
            if (parent instanceof ObjectCreationExpr created) {
                String type = created.getType().getNameAsString();
                if (type.endsWith("Exception") || type.endsWith("Error")) {
                    return true;
                }
            }
            if (parent instanceof MethodCallExpr call && call.getScope().isPresent()) {
                String scope = call.getScope().get().toString();
                boolean logged = scope.equals("LOG") && LOGGING.contains(call.getNameAsString());
                if (logged || scope.equals("Defect") || scope.endsWith("Exception")) {
                    return true;
                }
            }
            if (parent instanceof ThrowStmt) {
                return true;
            }
            if (parent instanceof AnnotationExpr || parent instanceof BodyDeclaration<?>) {
                return false;
            }
            node = parent;
        }
        return false;
    }

    private static List<String> sentences(String text) {
        List<String> sentences = new ArrayList<>();
        for (String block : text.split("\\n\\s*\\n", -1)) {
            String line = String.join(" ", block.strip().split("\\s+", -1));
            for (String sentence : line.split("(?<=[.!?:])\\s+(?=[A-Z(`\"0-9])", -1)) {
                if (!sentence.isBlank()) {
                    sentences.add(sentence);
                }
            }
        }
        return sentences.isEmpty() ? List.of("") : sentences;
    }

    private static int words(String sentence) {
        Matcher words = Pattern.compile("[\\p{L}\\p{N}][^\\s]*").matcher(sentence);
        return (int) words.results().count();
    }

    private void length(Path file, int line, String sentence, String shown) {
        if (words(sentence) > MOST_WORDS) {
            add(file, line, "sentence of " + words(sentence) + " words", shown);
        }
    }

    private void banned(Path file, int line, String text) {
        matches(file, line, BANNED, "banned word", text);
    }

    private void matches(Path file, int line, Pattern pattern, String rule, String text) {
        Matcher found = pattern.matcher(text);
        while (found.find()) {
            int from = Math.max(0, found.start() - 40);
            add(
                    file,
                    line,
                    rule + " \"" + found.group().toLowerCase(Locale.ROOT) + "\"",
                    text.substring(from, Math.min(text.length(), found.end() + 40)));
        }
    }

    private void add(Path file, int line, String rule, String text) {
        offences.add(file + ":" + line + ": " + rule + ": " + text.strip());
    }
}
