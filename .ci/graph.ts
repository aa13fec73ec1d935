/** Who points at whom. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** The knots of a graph (Tarjan's strongly connected components of more than one node), each sorted. */
export function findCircles(graph: Graph): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const path: string[] = []
  const circles: string[][] = []

  function visit(node: string): number {
    const at = order.size
    order.set(node, at)
    lowest.set(node, at)
    path.push(node)
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue
      const reached = order.has(next)
        ? path.includes(next)
          ? (order.get(next) ?? at)
          : at
        : visit(next)
      lowest.set(node, Math.min(lowest.get(node) ?? at, reached))
    }
    const low = lowest.get(node) ?? at
    if (low === at) {
      const knot = path.splice(path.indexOf(node))
      if (knot.length > 1) circles.push(knot.toSorted())
    }
    return low
  }

  for (const node of graph.keys()) if (!order.has(node)) visit(node)
  return circles
}
