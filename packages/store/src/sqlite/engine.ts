import '../entry/node-version.ts'
import type * as Sqlite from 'node:sqlite'

/** SQLite as it comes with Node. Not imported: a Node without it would end before anybody can say what it lacks. */
const sqlite: typeof Sqlite = process.getBuiltinModule('node:sqlite')

export const DatabaseSync: typeof Sqlite.DatabaseSync = sqlite.DatabaseSync
export const backup: typeof Sqlite.backup = sqlite.backup
export type DatabaseSync = Sqlite.DatabaseSync
