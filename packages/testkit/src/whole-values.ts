/** Loaded by mocha before any test: a failed comparison names what it found, instead of how many. */
import { config } from 'chai'

config.truncateThreshold = 0
