/**
 * Joins what the compiler made of public packages: of all, or of those that the package loads in whose folder it is
 * called, itself included.
 *
 *   node .ci/join/main.ts
 *
 * @see docs/decisions/0720
 */
import path from 'node:path'
import { joinPackage, neededFolders, publicFolders } from './package.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const all = publicFolders(ROOT)
const folders = process.cwd() === ROOT ? [...all.values()] : neededFolders(process.cwd(), all)
for (const folder of folders) await joinPackage(folder)
