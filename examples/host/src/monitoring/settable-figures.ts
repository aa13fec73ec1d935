/** Figures that other parts of the host set when they know them. */
export interface SettableFigures {
  /** Whether there is too little space for what grows. */
  setLowSpace(isLow: boolean): void
  /** How many values are sealed with each key. */
  setSealingValues(counts: ReadonlyMap<string, number>): void
}

/** The same as they are read. */
export interface SetFigures extends SettableFigures {
  readonly isLowSpace: boolean
  readonly sealingValues: ReadonlyMap<string, number>
}

export function createSettableFigures(): SetFigures {
  let isLowSpace = false
  let sealingValues: ReadonlyMap<string, number> = new Map()
  return {
    get isLowSpace() {
      return isLowSpace
    },
    get sealingValues() {
      return sealingValues
    },
    setLowSpace(isLow) {
      isLowSpace = isLow
    },
    setSealingValues(counts) {
      sealingValues = counts
    },
  }
}
