package dev.prpf.data.encode.ocr;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Rows top to bottom, within a row left to right. */
final class ReadingOrder {
    private ReadingOrder() {}

    /** Two boxes stand in one row when the middle of the smaller lies within the other and their overlap is half its height. */
    static List<List<TextLine>> rows(List<TextLine> lines) {
        List<TextLine> byMiddle = new ArrayList<>(lines);
        byMiddle.sort(Comparator.comparingDouble(ReadingOrder::middle));
        List<List<TextLine>> rows = new ArrayList<>();
        for (TextLine line : byMiddle) {
            if (rows.isEmpty() || !sameRow(rows.get(rows.size() - 1), line)) {
                rows.add(new ArrayList<>());
            }
            rows.get(rows.size() - 1).add(line);
        }
        rows.forEach(row -> row.sort(Comparator.comparingInt(TextLine::x)));
        return rows;
    }

    private static double middle(TextLine line) {
        return line.y() + line.height() / 2.0;
    }

    private static boolean sameRow(List<TextLine> row, TextLine line) {
        TextLine first = row.get(0);
        double gap = Math.abs(middle(line) - middle(first));
        return gap < Math.min(line.height(), first.height()) / 2.0;
    }
}
