export { cpuMs } from '@svc/testkit'
