export { skipUnless } from '../../testkit/src/skip-unless.ts'
