import path from 'node:path'

/** One thing of the record: what is recorded under a title. Answers have many of one title. */
export interface Part {
  readonly title: string
  readonly text: string
}

export const ROOT: string = path.resolve(import.meta.dirname, '../..')
