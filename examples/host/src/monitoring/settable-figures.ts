/** Figures that other parts of the host set when they know them. */
export interface SettableFigures {
  /** How many values are sealed with each key. */
  setSealingValues(counts: ReadonlyMap<string, number>): void
}

/** The same as they are read. */
export interface SetFigures extends SettableFigures {
  readonly sealingValues: ReadonlyMap<string, number>
}

export function createSettableFigures(): SetFigures {
  let sealingValues: ReadonlyMap<string, number> = new Map()
  return {
    get sealingValues() {
      return sealingValues
    },
    setSealingValues(counts) {
      sealingValues = counts
    },
  }
}
