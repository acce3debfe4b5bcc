"""Mathematics, graphs, search, games."""
import program


@program.gives("aa784b782a32")
def sympy():
    """Expressions that are expanded, factored, derived and integrated."""
    import sympy
    x, y = sympy.symbols("x y")
    out = []
    for n in range(2, 6):
        expression = sympy.expand((x + y + n) ** n * (x - 1))
        out += [sympy.factor(expression), sympy.diff(sympy.sin(x) ** n * sympy.exp(x * y), x), sympy.integrate(x ** n * sympy.exp(x), x)]
    out.append(sympy.solve(x ** 3 - 6 * x ** 2 + 11 * x - 6, x))
    return program.digest(out)


@program.gives("3b6187c9183d")
def networkx():
    """Paths, flow, colours and components of a random graph."""
    import networkx as nx
    draw = program.numbers(3)
    graph = nx.Graph()
    for n in range(160):
        for _ in range(3):
            graph.add_edge(n, draw(160), weight=1 + draw(9), capacity=1 + draw(5))
    tree = nx.minimum_spanning_tree(graph)
    between = nx.betweenness_centrality(graph, k=None)
    return program.digest((round(sum(between.values()), 6), nx.maximum_flow_value(graph, 0, 119), sum(d["weight"] for *_, d in tree.edges(data=True)),
                           sum(dict(nx.single_source_dijkstra_path_length(graph, 0)).values()), len(set(nx.greedy_color(graph).values())),
                           len(list(nx.biconnected_components(graph)))))


@program.gives("0f12ada77693")
def sudoku():
    """Puzzles, solved by constraints and search."""
    digits, rows = "123456789", "ABCDEFGHI"
    squares = [r + c for r in rows for c in digits]
    units = ([[r + c for r in rows] for c in digits] + [[r + c for c in digits] for r in rows] +
             [[r + c for r in rs for c in cs] for rs in ("ABC", "DEF", "GHI") for cs in ("123", "456", "789")])
    units_of = {s: [u for u in units if s in u] for s in squares}
    peers = {s: sorted(set(sum(units_of[s], [])) - {s}) for s in squares}

    def assign(values, s, d):
        return values if all(eliminate(values, s, other) for other in values[s].replace(d, "")) else None

    def eliminate(values, s, d):
        if d not in values[s]:
            return True
        values[s] = left = values[s].replace(d, "")
        if not left or len(left) == 1 and not all(eliminate(values, peer, left) for peer in peers[s]):
            return False
        for unit in units_of[s]:
            places = [place for place in unit if d in values[place]]
            if not places or len(places) == 1 and not assign(values, places[0], d):
                return False
        return True

    def search(values):
        if values is None or all(len(values[s]) == 1 for s in squares):
            return values
        _, s = min((len(values[s]), s) for s in squares if len(values[s]) > 1)
        return next((found for d in values[s] if (found := search(assign(values.copy(), s, d)))), None)

    def solve(grid):
        values = dict.fromkeys(squares, digits)
        return all(assign(values, s, d) for s, d in zip(squares, grid) if d in digits) and search(values)

    grids = ("4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......",
             "52...6.........7.13...........4..8..6......5...........418.........3..2...87.....",
             "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..",
             "..53.....8......2..7..1.5..4....53...1..7...6..32...8..6.5....9..4....3......97..")
    return program.digest(["".join(found[s] for s in squares) for found in map(solve, 2 * grids)])


@program.gives(116)
def life():
    """Conway's game, as a set of cells."""
    cells = {(1, 5), (1, 6), (2, 5), (2, 6), (11, 5), (11, 6), (11, 7), (12, 4), (12, 8), (13, 3), (13, 9), (14, 3),
             (14, 9), (15, 6), (16, 4), (16, 8), (17, 5), (17, 6), (17, 7), (18, 6), (21, 3), (21, 4), (21, 5), (22, 3), (22, 4), (22, 5),
             (23, 2), (23, 6), (25, 1), (25, 2), (25, 6), (25, 7), (35, 3), (35, 4), (36, 3), (36, 4)}

    def neighbours(x, y):
        return {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy}

    for _ in range(480):
        counts = {}
        for cell in cells:
            for near in neighbours(*cell):
                counts[near] = counts.get(near, 0) + 1
        cells = {cell for cell, count in counts.items() if count == 3 or count == 2 and cell in cells}
    return len(cells)


@program.gives("c625eeb592e5")
def maze():
    """Ways through a maze by A*, breadth first and depth first: heapq, deque, recursion."""
    import collections
    import heapq
    size, draw = 60, program.numbers(4)
    open_at = [[draw(100) < 72 for _ in range(size)] for _ in range(size)]
    open_at[0][0] = open_at[-1][-1] = True

    def steps(x, y):
        for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            if 0 <= x + dx < size and 0 <= y + dy < size and open_at[y + dy][x + dx]:
                yield x + dx, y + dy

    def best(goal):
        heap, cost = [(0, (0, 0))], {(0, 0): 0}
        while heap:
            _, place = heapq.heappop(heap)
            if place == goal:
                return cost[place]
            for near in steps(*place):
                if near not in cost or cost[place] + 1 < cost[near]:
                    cost[near] = cost[place] + 1
                    heapq.heappush(heap, (cost[near] + abs(goal[0] - near[0]) + abs(goal[1] - near[1]), near))
        return None

    def wide():
        queue, seen = collections.deque([(0, 0)]), {(0, 0)}
        while queue:
            for near in steps(*queue.popleft()):
                if near not in seen:
                    seen.add(near)
                    queue.append(near)
        return len(seen)

    def deep(place, seen, left):
        seen.add(place)
        if left:
            for near in steps(*place):
                if near not in seen:
                    deep(near, seen, left - 1)
        return len(seen)

    return program.digest((best((size - 1, size - 1)), [wide() for _ in range(8)], [deep((0, 0), set(), 300) for _ in range(8)]))


if __name__ == "__main__":
    program.main()
