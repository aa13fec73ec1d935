export { until } from '@svc/testkit'
