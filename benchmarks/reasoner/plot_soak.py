"""The soak's lines as a picture: python3 benchmarks/reasoner/plot_soak.py soak.csv soak.svg (no packages needed)."""
import sys

rows = [line.strip().split(",") for line in open(sys.argv[1]) if line.count(",") == 5 and not line.startswith("kind")]
points = [(i, float(row[2])) for i, row in enumerate(rows)]
top = max(mb for _, mb in points) * 1.1
width, height = 800, 300
line = " ".join(f"{40 + i * (width - 60) / (len(points) - 1):.1f},{height - 30 - mb / top * (height - 60):.1f}" for i, mb in points)
border = next((i for i, row in enumerate(rows) if row[0] != rows[0][0]), len(rows))
x = 40 + border * (width - 60) / (len(points) - 1)
with open(sys.argv[2], "w") as out:
    out.write(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">'
        f'<rect width="{width}" height="{height}" fill="white"/>'
        f'<polyline points="{line}" fill="none" stroke="black"/>'
        f'<line x1="{x:.1f}" y1="10" x2="{x:.1f}" y2="{height - 30}" stroke="gray" stroke-dasharray="4"/>'
        f'<text x="40" y="{height - 10}">{rows[0][0]}</text><text x="{x + 5:.1f}" y="{height - 10}">{rows[-1][0]}</text>'
        f'<text x="5" y="20">{top:.0f} MB</text></svg>\n'
    )
half = len(points) // 2
print(f"{len(rows)} points; resident MB after the first, at half and at the end: {points[0][1]}, {points[half][1]}, {points[-1][1]}; "
      f"largest {max(mb for _, mb in points)}; unparseable {rows[-1][3]}")
