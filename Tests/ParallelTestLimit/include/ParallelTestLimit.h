// The target has no declarations: it takes effect when the test process is loaded.
