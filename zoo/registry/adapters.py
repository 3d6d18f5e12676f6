"""Adapters of tasks to export formats, by import path."""

# What makes a task into what an export format takes, by the format: import paths.
ADAPTERS = {
    "litertlm": "zoo.litertlm.tasks:for_litertlm",
    "mediapipe": "zoo.mediapipe.tasks:for_mediapipe",
    "web": "zoo.page.web:WebPage",
}
