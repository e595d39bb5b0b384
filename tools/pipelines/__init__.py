"""What the recipes share: readers, cleaning, silver labels, augmentation, training and scoring."""
