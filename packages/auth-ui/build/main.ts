/** Writes the estimate of how hard a passphrase is to guess into the kit: `pnpm --filter @svc/auth-ui guesses`. */
import { writeFileSync } from 'node:fs'
import { GUESSES_PATH, guessesFile } from './guesses-file.ts'

writeFileSync(GUESSES_PATH, await guessesFile())
